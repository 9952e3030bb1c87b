import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The epoch of a host: the one call by which the host keeps all its leases.
struct HostEpoch: Sendable {
  /// The present epoch, or the latest one after it has ended; `nil` before the host has attached.
  var latest: Epoch?
  /// Whether the latest epoch has ended, as far as the host knows.
  var hasEnded = true
  /// The date at which the next beat is due, by the host's clock.
  var nextBeat = Date.distantPast
  /// Whether the epoch ends when no flow is in memory any more.
  var isLeaving = false
  /// The reason why the host does not attach again, if there is one.
  var refusal: FlowError?
  /// The mutex for attaching and beating, so that one task at a time does either.
  let mutex = AsyncMutex()
  /// The mutex for claims and for the comparison of leases with flows in memory.
  let claims = AsyncMutex()
  /// The flows whose lease came with a claim, and is neither used nor given back yet.
  var claimed: Set<FlowID> = []
  /// The flows that the host has leased one by one since the claim began that is under way; `nil` if none is. The lease
  /// in the claim's reply may be one of these, and may have ended meanwhile.
  var leasedBesideClaim: Set<FlowID>?

  var current: Epoch? { hasEnded ? nil : latest }
}

// The leases of a host, and the epoch that they belong to.
extension FlowHost {
  /// The number of beats after which a host compares the store's leases with its flows in memory.
  static let beatsPerComparison = 8

  /// Returns the right to run a flow with the flow as it is stored, or `nil` if the store gives no leases. Waits while
  /// another host runs the flow.
  ///
  /// Call it behind the flow's door, and only while the flow is not in memory: all leases of a flow under one epoch are
  /// one, so the end of one is the end of all.
  ///
  /// - Parameter running: Whether the flow is to run here, so that a flow of a version that this host cannot run is
  ///   refused before it is leased. The hosts that can run it are not kept from it then.
  /// - Throws: A `FlowError` with the code `unmigrated` for such a flow, and `hostStopping`, `wrongDeployment` or
  ///   `alreadyRunning`. Errors of the store.
  func lease(of id: FlowID, running: Bool = false) async throws -> LeasedFlow? {
    try await checkDeployment()
    guard shared.store.givesLeases else { return nil }
    // A running host does it between two beats.
    if !isRunning { try await releaseUnknown() }
    let deadline = shared.clock.date(after: shared.options.requestTime)
    let pauses = Backoff.exponential(from: .milliseconds(2), limit: .milliseconds(250))
    var (waits, epochs) = (0, 0)
    while true {
      let epoch = try await attached()
      do {
        let found: LeasedFlow? =
          if running { try await shared.store.acquire(id, under: epoch, serving: servedVersions) } else {
            try await shared.store.acquire(id, under: epoch)
          }
        guard let leased = found else {
          try await refuseUnserved(id)
          // The flow was written meanwhile, and has another version now.
          try Task.checkCancellation()
          continue
        }
        // From here on the lease is the caller's, also if a claim has brought it.
        self.epoch.claimed.remove(id)
        self.epoch.leasedBesideClaim?.insert(id)
        if waits > 0 { wishes.keptUntil[id] = shared.clock.date(after: Self.keepTime) }
        return leased
      } catch let error as FlowStoreError {
        switch error.code {
        case .fenced where epochs < 5:
          epochs += 1
          await end(epoch, because: error)
        case .leased where shared.clock.now < deadline:
          waits += 1
          try await waitUntilFree(id, for: pauses.delay(after: waits))
        case .leased:
          throw FlowStoreError(
            .leased, "another host runs the flow \(id.shown) and has not yielded it in \(shared.options.requestTime)",
            underlying: error, retryAfter: Self.yieldTime)
        default: throw error
        }
      }
    }
  }

  /// Refuses a flow of a version that this host cannot run.
  ///
  /// - Throws: A `FlowError` with the code `unmigrated`, or `erased`; errors of the store and of the codec.
  private func refuseUnserved(_ id: FlowID) async throws {
    guard let stored = try await shared.store.load(id), !serves(stored.snapshot) else { return }
    do { _ = try resolve(stored, try shared.state(of: stored)) } catch is ErasedKey {
      // Any host may store that.
      let leased = try await lease(of: id)
      if let flow = leased?.flow { await shared.markErased(flow, fence: leased?.lease.fence) }
      await giveBack(leased?.lease)
      throw HostContext.erased(id)
    }
  }

  /// Releases a lease, so that others may run the flow at once. A lease whose release fails is released by the next
  /// comparison, or ends with the host's epoch.
  nonisolated func giveBack(_ lease: FlowLease?) async {
    guard let lease else { return }
    // A refusal says that the lease has ended already. The store remembers and reports any other error.
    try? await shared.store.release(lease)
  }

  // MARK: - The epoch

  /// Returns the host's epoch. Attaches the host if it is not attached, and beats if a beat is due that no task makes.
  ///
  /// - Throws: A `FlowError` with the code `alreadyRunning` if another process has attached under the host's name.
  ///   Errors of the store.
  private func attached() async throws -> Epoch {
    if let epoch = epoch.current, !isBeatDue { return epoch }
    await epoch.mutex.lock()
    defer { epoch.mutex.unlock() }
    if let epoch = epoch.current, !isBeatDue { return epoch }
    if let epoch = epoch.current {
      let isInDoubt = shared.isInDoubt
      do { return try await beat(epoch) } catch let error as FlowStoreError where error.code == .fenced {
        await end(epoch, because: error)
      } catch  where !isInDoubt {
        // The epoch is overdue at worst, and the store's error is remembered.
        return epoch
      }
    }
    return try await attach()
  }

  /// Whether the host is to beat before it goes on: its epoch may have ended, or no task beats.
  private var isBeatDue: Bool {
    if shared.isInDoubt { return true }
    return !isRunning && shared.clock.now >= epoch.nextBeat
  }

  private func attach() async throws -> Epoch {
    if let refusal = epoch.refusal { throw refusal }
    if let problem = StoredText.problem(owner) {
      throw FlowError(.badOptions, "the host's name, owner, \(problem)")
    }
    let now = shared.clock.now
    do {
      _ = shared.takeDoubt()
      let new = try await shared.store.attach(owner, for: shared.options.leaseTime, after: epoch.latest)
      epoch.hasEnded = false
      note(new, beatAt: now)
      return new
    } catch let error as FlowStoreError where error.code == .fenced {
      let refusal = FlowError(
        .alreadyRunning,
        "another process has a host named \"\(owner)\" on this store, so this one has stopped; give each host a name of "
          + "its own", underlying: [error])
      epoch.refusal = refusal
      throw refusal
    }
  }

  private func beat(_ old: Epoch) async throws -> Epoch {
    let now = shared.clock.now
    let wasInDoubt = shared.takeDoubt()
    do {
      let new = try await shared.store.beat(old, for: shared.options.leaseTime)
      if epoch.latest?.fence == new.fence { note(new, beatAt: now) }
      return new
    } catch {
      if wasInDoubt, (error as? FlowStoreError)?.code != .fenced { shared.doubtEpoch() }
      throw error
    }
  }

  private func note(_ new: Epoch, beatAt time: Date) {
    epoch.latest = new
    epoch.nextBeat = time.addingTimeInterval(shared.options.leaseTime / .seconds(3))
    shared.keepsLeases(until: epoch.nextBeat) { [weak self] in await self?.beatIfDue() }
  }

  /// Gives up everything under an epoch that has ended. What was decided here since does not count: the flows are
  /// closed at once, and their steps are cancelled.
  private func end(_ old: Epoch, because error: FlowStoreError) async {
    if epoch.latest?.fence == old.fence { epoch.hasEnded = true }
    let lost = live.values.filter { $0.lease?.fence == old.fence }
    for flow in lost { flow.committer.lose(error) }
    for flow in lost { await flow.dismiss(error) }
  }

  /// Beats before a write of a host that does not run, so that a long step does not lose its flow. The write shows
  /// whether the epoch has ended.
  private func beatIfDue() async {
    guard !isRunning, isBeatDue, !shared.isInDoubt, let current = epoch.current else { return }
    await epoch.mutex.lock()
    defer { epoch.mutex.unlock() }
    guard isBeatDue, epoch.current?.fence == current.fence else { return }
    do { _ = try await beat(current) } catch let error as FlowStoreError where error.code == .fenced {
      await end(current, because: error)
    } catch {
      // The store remembers and reports its error. The next write beats again.
    }
  }

  /// Ends the host's epoch when the host has stopped, and when the requests that were under way then are done. An epoch
  /// that cannot be ended becomes overdue.
  func detach() async {
    epoch.isLeaving = true
    guard let current = epoch.current, live.isEmpty, !isAnyBehindDoor else { return }
    epoch.hasEnded = true
    // The store remembers and reports its error.
    try? await shared.store.detach(current)
  }

  // MARK: - Beating

  /// Beats until the calling task is cancelled.
  ///
  /// - Throws: A `FlowError` with the code `alreadyRunning` if another process has attached under the host's name.
  func keepBeating() async throws {
    guard shared.store.givesLeases else { return }
    let time = shared.options.leaseTime
    // After a failure, the host beats again before its epoch is overdue, but not at once.
    let pauses = Backoff.exponential(from: time / 24, limit: time / 3)
    var (failures, beats) = (0, 0)
    while true {
      await sleepUntilBeat(failures == 0 ? time / 3 : pauses.delay(after: failures))
      if Task.isCancelled { return }
      do {
        try await renewEpoch()
        beats += 1
        if beats % Self.beatsPerComparison == 0 { shared.store.noteLoss() }
        try await releaseUnknown()
        failures = 0
      } catch let error as FlowError where error.code == .alreadyRunning {
        throw error
      } catch { failures += 1 }  // the store remembers and reports its error
    }
  }

  /// Beats. If the epoch has ended, gives up all flows and attaches under a new one.
  func renewEpoch() async throws {
    await epoch.mutex.lock()
    defer { epoch.mutex.unlock() }
    // A host that has leased nothing yet attaches when it does.
    guard epoch.latest != nil else { return }
    if let current = epoch.current {
      do { _ = try await beat(current) } catch let error as FlowStoreError where error.code == .fenced {
        await end(current, because: error)
      }
    }
    if epoch.current == nil {
      _ = try await attach()
      // The flows that were given up may be due.
      shared.poll()
    }
  }

  private nonisolated func sleepUntilBeat(_ time: Duration) async {
    let (clock, beatNow) = (shared.clock, shared.beatNow)
    let end = clock.date(after: time)
    await withTaskGroup { group in
      group.addTask { await clock.rest(until: end) }
      group.addTask { await beatNow.wait() }
      await group.next()
      group.cancelAll()
    }
  }

  // MARK: - Leases that the host does not know of

  /// Claims due flows, and passes each to `body`, after which each is opened with ``open(claim:)`` or given back with
  /// ``giveBack(claim:)``.
  ///
  /// - Returns: The number of claimed flows.
  func withClaims(
    _ serving: [String: ClosedRange<Int>], _ limit: Int, _ body: (LeasedFlow) async -> Void
  ) async throws -> Int {
    try await releaseUnknown()
    let claims = try await claimed(serving, limit)
    for leased in claims {
      await body(leased)
    }
    return claims.count
  }

  /// Puts a claimed flow into memory.
  ///
  /// - Returns: The flow, in use; `nil` if it is in memory already, if another task of the host has leased it since the
  ///   claim, or if the epoch has ended. The lease is to be given back with ``giveBack(claim:)`` then.
  /// - Throws: The reason why the flow cannot be in memory. The lease is given back.
  func open(claim: LeasedFlow) async throws -> LiveFlow? {
    let id = claim.lease.id
    return try await behindDoor(of: id) {
      let isValid = claim.lease.fence == epoch.current?.fence && epoch.claimed.contains(id)
      guard live[id] == nil, isValid else { return nil }
      epoch.claimed.remove(id)
      return try await open(id, claim)
    }
  }

  /// Gives back the lease of a claimed flow that the host does not activate, unless another task of the host uses it.
  func giveBack(claim lease: FlowLease) async {
    let id = lease.id
    if !epoch.claimed.contains(id) {
      // Another task has leased the flow since the claim began. A flow that is releasing that lease may have done so
      // before the claim, or after it: when it is gone, the lease is still there or is not.
      while let flow = live[id], flow.lease == lease, flow.isReleasing { await flow.isGoneOrOpen() }
    }
    try? await behindDoor(of: id) {
      // The lease of a claim that no task has used began after the end of the one that a flow in memory is releasing.
      let isNew = epoch.claimed.remove(id) != nil
      guard let flow = live[id], flow.lease == lease, !(isNew && flow.isReleasing) else { return await giveBack(lease) }
    }
  }

  private func claimed(_ serving: [String: ClosedRange<Int>], _ limit: Int) async throws -> [LeasedFlow] {
    await epoch.claims.lock()
    defer { epoch.claims.unlock() }
    var epochs = 0
    while true {
      let epoch = try await attached()
      do {
        self.epoch.leasedBesideClaim = []
        defer { self.epoch.leasedBesideClaim = nil }
        let claims = try await shared.store.claimDue(under: epoch, serving: serving, limit: limit)
        let leased = self.epoch.leasedBesideClaim ?? []
        self.epoch.claimed.formUnion(claims.lazy.map(\.lease.id).filter { !leased.contains($0) })
        return claims
      } catch let error as FlowStoreError where error.code == .fenced && epochs < 5 {
        epochs += 1
        await end(epoch, because: error)
      }
    }
  }

  /// Releases the flows that the store leases to this host and that are not in memory, if a reply of the store was lost:
  /// no host would run them again otherwise.
  private func releaseUnknown() async throws {
    guard let epoch = epoch.current, shared.store.takeLoss() else { return }
    do {
      var cursor: String?
      repeat {
        await self.epoch.claims.lock()
        let page: LeasePage
        do {
          defer { self.epoch.claims.unlock() }
          page = try await shared.store.leased(to: epoch, after: cursor, limit: 1_000)
        }
        for id in page.flows where isUnknown(id) {
          try await behindDoor(of: id) {
            guard live[id] == nil, !self.epoch.claimed.contains(id) else { return }
            try await shared.store.release(FlowLease(of: id, under: epoch))
            shared.changed(id, wakeAt: shared.clock.now)
          }
        }
        cursor = page.cursor
      } while cursor != nil
    } catch {
      shared.store.noteLoss()
      throw error
    }
  }

  private func isUnknown(_ id: FlowID) -> Bool { live[id] == nil && !epoch.claimed.contains(id) && !isBehindDoor(id) }
}
