import ActorFlow

/// A flow that is in memory.
final class LiveFlow: Sendable {
  let coordinator: FlowCoordinator
  let committer: FlowCommitter
  let lease: FlowLease?
  private let use = Lock(Use())
  /// Signaled when the flow has no users any more.
  let idle = AsyncEvent()
  /// Signaled when the flow stops running: it has ended, is suspended, or was passivated.
  let over = AsyncEvent()

  private struct Use: Sendable {
    var users = 0
    var isBegun = false
    /// Whether the flow is closed to new users.
    var isClosing = false
    var isGone = false
    /// Whether this host passivates the flow to change what is stored of it.
    var isSetAside = false
    /// Whether the lease is being released, by a commit or after the last one.
    var isReleasing = false
    /// Whether another host wishes for the flow, so that it is passivated as soon as it is at rest.
    var isWanted = false
    /// Whether failed `backUp`s of the flow run beside it, see ``closeToCompensate()``.
    var isCompensating = false
    /// Whether a task is yielding the flow.
    var isYielding = false
    /// The tasks that wait until the flow is gone.
    var waiters: [OneShot] = []
  }

  init(_ coordinator: FlowCoordinator, _ committer: FlowCommitter, _ lease: FlowLease?) {
    (self.coordinator, self.committer) = (coordinator, committer)
    self.lease = lease
    committer.isInMemory(
      as: FlowMemory(
        passivate: { [weak self] in await self?.passivate() },
        close: { [weak self] users, hasEnded in self?.closeToRelease(withAtMost: users, hasEnded) ?? false },
        reopen: { [weak self] in self?.reopen() }))
  }

  var id: FlowID { committer.id }
  /// Whether the flow has ended according to the store. Then it was loaded only to be looked at.
  var hasEnded: Bool { committer.state.machine.ending != nil }
  /// Whether the flow is suspended according to the store, because a step failed.
  var isSuspended: Bool { committer.state.machine.fault != nil }
  var isBegun: Bool { use.withLock { $0.isBegun } }
  var isWanted: Bool { use.withLock { $0.isWanted } }

  /// Whether the lease is being released, by a commit or after the last one. If the store leases the flow to this host
  /// meanwhile, that lease is not the flow's.
  var isReleasing: Bool { use.withLock { $0.isReleasing } }

  /// Marks the flow as being yielded. Returns true if it was not.
  func beginYielding() -> Bool {
    use.withLock { use in
      defer { use.isYielding = true }
      return !use.isYielding
    }
  }

  /// Passivates the flow as soon as it is at rest.
  func yield() {
    use.withLock { $0.isWanted = true }
    over.signal()
  }

  /// Begins to use the flow. Returns false if it is about to be passivated: wait until it is gone, and load it.
  ///
  /// A flow that is suspended because one of its branches failed still runs while another branch asks, and so is not
  /// passivated before ``FlowHost/Options/keepHot`` is over. It takes no new users, so the first one has it passivated.
  func enter() async -> Bool {
    let isOver = await isOver
    if isOver { over.signal() }
    return use.withLock { use in
      guard !use.isClosing, !isOver else { return false }
      use.users += 1
      return true
    }
  }

  /// Whether the flow takes no new users although it may not be closed yet.
  private var isOver: Bool {
    get async {
      if committer.failure != nil { return true }
      guard isBegun else { return false }
      return await coordinator.hasStopped
    }
  }

  func leave() {
    let isIdle = use.withLock { use in
      use.users -= 1
      return use.users == 0
    }
    if isIdle { idle.signal() }
  }

  /// Marks the flow as running. Returns true if it was not, and is not closed.
  func begin() -> Bool {
    use.withLock { use in
      guard !use.isClosing else { return false }
      defer { use.isBegun = true }
      return !use.isBegun
    }
  }

  /// Closes the flow to new users. Returns false if it is in use.
  func close(evenIfUsed: Bool = false) -> Bool {
    use.withLock { use in
      guard use.users == 0 || evenIfUsed else { return false }
      use.isClosing = true
      return true
    }
  }

  /// Whether this host passivates the flow to change what is stored of it. Requests of its users are then repeated.
  var isSetAside: Bool {
    get { use.withLock { $0.isSetAside } }
    set { use.withLock { $0.isSetAside = newValue } }
  }

  /// Closes the flow for ever, so that failed `backUp`s run beside it. Returns false if the flow is running, or has
  /// another user than the caller, who may be writing it.
  func closeToCompensate() -> Bool {
    use.withLock { use in
      guard !use.isBegun, !use.isCompensating, use.users == 1 else { return false }
      (use.isClosing, use.isCompensating) = (true, true)
      return true
    }
  }

  /// Whether code of the flow may run: its own, or failed `backUp`s beside it.
  var isAtWork: Bool { use.withLock { $0.isBegun || $0.isCompensating } }

  /// Closes the flow to new users, because the commit that follows ends its lease. Returns false if the flow stays in
  /// memory, has more users than the commit is for, or is closed already.
  private func closeToRelease(withAtMost users: Int, _ hasEnded: Bool) -> Bool {
    let staysHot = committer.shared.options.keepHot > .zero && !hasEnded
    return use.withLock { use in
      guard use.isBegun, !use.isClosing, use.users <= users, !staysHot || use.isWanted else { return false }
      (use.isClosing, use.isReleasing) = (true, true)
      return true
    }
  }

  /// Opens the flow again because it has something to do after all. Callers that came meanwhile try again.
  func reopen() {
    let waiters = use.withLock { use in
      defer { use.waiters = [] }
      (use.isClosing, use.isReleasing) = (false, false)
      return use.waiters
    }
    for waiter in waiters { waiter.fulfil(.success(())) }
  }

  /// Gives up the flow, because another host has it or it is being deleted. No decision made here counts any more, and
  /// the flow is closed to new users.
  func dismiss(_ error: any Error) async {
    committer.lose(error)
    _ = close(evenIfUsed: true)
    await passivate()
  }

  /// Closes the flow to new users, because a request cannot be done here.
  func retire(because error: any Error) async {
    if FlowStoreError.isTakenOver(error) { return await dismiss(error) }
    _ = close(evenIfUsed: true)
  }

  /// Passivates the flow even while it is in use. Requests of its users are then refused.
  func passivate() async {
    await coordinator.passivate()
    idle.signal()
  }

  /// Closes the flow for ever, before its lease is released.
  func beginReleasing() { use.withLock { ($0.isClosing, $0.isReleasing) = (true, true) } }

  /// Marks the flow as no longer in memory.
  func end() {
    let waiters = use.withLock { use in
      defer { use.waiters = [] }
      use.isGone = true
      return use.waiters
    }
    for waiter in waiters { waiter.fulfil(.success(())) }
  }

  /// Waits until the flow is no longer in memory or is opened again, or until the calling task is cancelled.
  func isGone() async { await wait { $0.isGone } }

  /// Waits, after ``enter()`` has returned false, until it is worth another try: the flow is no longer in memory or is
  /// open, or the calling task is cancelled.
  ///
  /// The flow may have been opened again between the two calls. Waiting for the next time that it is opened would then
  /// be waiting for as long as the running step takes.
  func isGoneOrOpen() async {
    let isOver = await isOver
    await wait { $0.isGone || !$0.isClosing && !isOver }
  }

  private func wait(until isReached: (Use) -> Bool) async {
    let waiter = OneShot()
    let isOver = use.withLock { use in
      let isOver = isReached(use)
      if !isOver { use.waiters.append(waiter) }
      return isOver
    }
    guard !isOver else { return }
    do { _ = try await waiter.value() } catch {
      use.withLock { $0.waiters.removeAll { $0 === waiter } }
    }
  }
}

extension LiveFlow {
  /// Returns the reason why the flow was passivated, if `error` says only that it was.
  func cause(of error: any Error) -> any Error {
    guard error is CancellationError, let failure = committer.failure else { return error }
    return failure
  }

  /// Returns whether a request failed only because the flow was passivated or another host took it. Then it is
  /// repeated.
  func wasTaken(_ error: any Error) async -> Bool {
    if error is FlowStoreError { return FlowStoreError.isTakenOver(error) }
    // The flow is being deleted. The next load shows whether it was deleted.
    if (error as? FlowError)?.code == .noSuchFlow { return committer.loss != nil }
    // A passivated rendered step takes no answers. Only the next activation shows whether its question is closed.
    if (error as? FlowError)?.code == .questionClosed { return await coordinator.isPassivated }
    guard error is CancellationError else { return false }
    if committer.loss != nil { return true }
    return await coordinator.isPassivated
  }
}

extension FlowStoreError {
  /// Returns whether an error says that the outcome of a write is not known.
  static func isUnknown(_ error: any Error) -> Bool { (error as? FlowStoreError)?.code == .outcomeUnknown }

  /// Returns whether an error says that another host writes the flow.
  static func isTakenOver(_ error: any Error) -> Bool {
    guard let code = (error as? FlowStoreError)?.code else { return false }
    return code == .conflict || code == .fenced
  }
}
