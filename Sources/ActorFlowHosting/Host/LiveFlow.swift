import ActorFlow

/// A flow that is in memory.
final class LiveFlow: Sendable {
  let coordinator: FlowCoordinator
  let ledger: FlowLedger
  let lease: Lock<FlowLease?>
  private let use = Lock(Use())
  /// Rung when nobody uses it any more.
  let idle = Doorbell()
  /// Rung when it goes on no more: it has ended, stands still, or was put away.
  let over = Doorbell()

  private struct Use: Sendable {
    var users = 0
    var isBegun = false
    /// Nobody can begin to use it any more.
    var isClosing = false
    var isGone = false
    /// Who waits until it is gone.
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWaiter = 0
  }

  init(_ coordinator: FlowCoordinator, _ ledger: FlowLedger, _ lease: FlowLease?) {
    (self.coordinator, self.ledger) = (coordinator, ledger)
    self.lease = Lock(lease)
    ledger.parks { [weak self] in await self?.park() }
  }

  var id: FlowID { ledger.id }
  /// Whether it has ended as far as the store knows: then it was read only to be looked at.
  var hasEnded: Bool { ledger.state.machine.ending != nil }
  var isBegun: Bool { use.withLock { $0.isBegun } }

  /// Begins to use it. False: it is about to be put away; wait until it is gone, and load it.
  func enter() async -> Bool {
    var isOver = ledger.failure != nil
    if !isOver, isBegun { isOver = await coordinator.isAtRest }
    return use.withLock { use in
      guard !use.isClosing, !isOver else { return false }
      use.users += 1
      return true
    }
  }

  func leave() {
    let isIdle = use.withLock { use in
      use.users -= 1
      return use.users == 0
    }
    if isIdle { idle.ring() }
  }

  /// Whether it is to begin to run; true once.
  func begin() -> Bool {
    use.withLock { use in
      guard !use.isClosing else { return false }
      defer { use.isBegun = true }
      return !use.isBegun
    }
  }

  /// Closes it for users. False: somebody uses it.
  func close(evenIfUsed: Bool = false) -> Bool {
    use.withLock { use in
      guard use.users == 0 || evenIfUsed else { return false }
      use.isClosing = true
      return true
    }
  }

  /// Opens it again: it has something to do after all. Who came meanwhile tries again.
  func reopen() {
    let waiters = use.withLock { use in
      defer { use.waiters = [:] }
      use.isClosing = false
      return use.waiters
    }
    for waiter in waiters.values { waiter.resume() }
  }

  /// It is another host's by now: nothing that is decided here counts, and nobody begins to use it any more.
  func dismiss(_ error: any Error) async {
    ledger.lose(error)
    _ = close(evenIfUsed: true)
    await park()
  }

  /// Nobody begins to use it any more: what it is asked for cannot be done here.
  func retire(because error: any Error) async {
    if FlowStoreError.isTakenOver(error) { return await dismiss(error) }
    _ = close(evenIfUsed: true)
  }

  /// Puts it away, also while somebody uses it: what he asks for is refused.
  func park() async {
    await coordinator.park()
    idle.ring()
  }

  /// It is no longer in memory.
  func end() {
    let waiters = use.withLock { use in
      defer { use.waiters = [:] }
      use.isGone = true
      return use.waiters
    }
    for waiter in waiters.values { waiter.resume() }
  }

  /// Waits until it is no longer in memory, or was opened again, or the task is cancelled.
  func isGone() async {
    let number = use.withLock { use in
      use.lastWaiter += 1
      return use.lastWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = use.withLock { use in
          let isOver = use.isGone || Task.isCancelled
          if !isOver { use.waiters[number] = continuation }
          return isOver
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      use.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
    }
  }
}

extension LiveFlow {
  /// Why the flow was put away, if that is all that the error says.
  func cause(of error: any Error) -> any Error {
    guard error is CancellationError, let failure = ledger.failure else { return error }
    return failure
  }

  /// Whether a request failed only because the flow was put away, or is another host's by now: then it is tried again.
  func wasTaken(_ error: any Error) async -> Bool {
    if error is FlowStoreError { return FlowStoreError.isTakenOver(error) }
    // It is being deleted. Whether it was, who loads it sees.
    if (error as? FlowError)?.code == .noSuchFlow { return ledger.loss != nil }
    // A rendered step that is put away takes no answers; whether its question is closed, who takes it up knows.
    if (error as? FlowError)?.code == .questionClosed { return await coordinator.isParked }
    guard error is CancellationError else { return false }
    if ledger.loss != nil { return true }
    return await coordinator.isParked
  }
}

extension FlowStoreError {
  /// Whether an error says that nobody knows whether a write was done.
  static func isUnknown(_ error: any Error) -> Bool { (error as? FlowStoreError)?.code == .outcomeUnknown }

  /// Whether an error says that another host writes the flow.
  static func isTakenOver(_ error: any Error) -> Bool {
    guard let code = (error as? FlowStoreError)?.code else { return false }
    return code == .conflict || code == .fenced
  }
}
