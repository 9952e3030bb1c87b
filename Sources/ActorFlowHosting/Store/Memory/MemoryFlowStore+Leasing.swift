public import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension MemoryFlowStore {
  /// Attaches a host under a name.
  public func attach(
    owner: String, for time: Duration, as attempt: CommitID, after old: Epoch?
  ) async throws -> Epoch {
    let until = clock.now.microseconds.later(by: time)
    let fence = try state.withLock { state throws(FlowStoreError) in
      let (fence, freed) = try state.leases.attach(owner, until: until, as: attempt, after: old)
      state.noteDue(of: freed)
      return fence
    }
    return Epoch(owner: owner, fence: fence, until: Date(microseconds: until))
  }

  /// Moves the time at which the next beat of a host is overdue.
  public func beat(_ epoch: Epoch, for time: Duration) async throws -> Epoch {
    let until = clock.now.microseconds.later(by: time)
    try state.withLock { state throws(FlowStoreError) in try state.leases.beat(epoch, until: until) }
    return Epoch(owner: epoch.owner, fence: epoch.fence, until: Date(microseconds: until))
  }

  /// Ends an epoch.
  public func detach(_ epoch: Epoch) async throws {
    state.withLock { state in state.noteDue(of: state.leases.detach(epoch)) }
  }

  /// Leases a flow to a host.
  public func acquire(_ id: FlowID, under epoch: Epoch) async throws -> LeasedFlow {
    let now = clock.now.microseconds
    let flow = try state.withLock { state throws(FlowStoreError) in
      let freed = try state.leases.give(id, under: epoch, at: now)
      state.noteDue(of: freed + [id])
      return state.records[id]?.flow
    }
    return LeasedFlow(FlowLease(of: id, under: epoch), flow)
  }

  /// Releases a lease.
  public func release(_ lease: FlowLease) async throws {
    state.withLock { state in
      if state.leases.giveBack(lease.fence, of: lease.id) { state.noteDue(of: [lease.id]) }
    }
  }

  /// Leases flows that have work to do.
  public func claimDue(
    under epoch: Epoch, serving: [String: ClosedRange<Int>], limit: Int
  ) async throws -> [LeasedFlow] {
    let now = clock.now.microseconds
    return try state.withLock { state throws(FlowStoreError) in
      try state.leases.check(epoch)
      guard limit > 0 else { return [] }
      for owner in state.leases.overdue(at: now, except: epoch)
      where state.leases.flows(of: owner).contains(where: { state.isDue($0, at: now, serving: serving) }) {
        state.noteDue(of: state.leases.end(owner))
      }
      var leased: [LeasedFlow] = []
      for name in state.due.due(at: now, serving: serving, limit: limit) {
        let id = FlowID(name)
        _ = try state.leases.give(id, under: epoch, at: now)
        state.noteDue(of: [id])
        leased.append(LeasedFlow(FlowLease(of: id, under: epoch), state.records[id]?.flow))
      }
      return leased
    }
  }

  /// Returns a page of the flows that are leased under an epoch.
  public func leased(to epoch: Epoch, after cursor: String?, limit: Int) async throws -> LeasePage {
    try state.withLock { state throws(FlowStoreError) in
      try state.leases.page(of: epoch, after: cursor, limit: limit)
    }
  }
}

extension MemoryFlowStore.State {
  /// Updates when flows can be claimed, after their snapshots or leases have changed.
  mutating func noteDue(of ids: [FlowID]) {
    for id in ids {
      guard let flow = records[id]?.flow else { continue }
      let snapshot = flow.snapshot
      // A leased flow is claimed by no other host until its lease ends.
      let due = leases[id] == nil ? due(flow) : nil
      self.due.set(id.description, of: .init(definition: snapshot.definition, number: snapshot.version), due)
    }
  }

  /// Returns when a flow has work to do, leased or not; `nil` for never.
  private func due(_ flow: StoredFlow) -> DueIndex.Due? {
    switch flow.snapshot.status {
    case .runnable: .now(since: flow.changedAt.microseconds)
    case .waiting: flow.snapshot.wakeAt.map { .at($0.microseconds) }
    case .suspended, .unmigrated, .failed, .finished, .abandoned, .cancelled: nil
    }
  }

  /// Returns whether a flow of these definitions has work to do.
  func isDue(_ id: FlowID, at now: Int64, serving: [String: ClosedRange<Int>]) -> Bool {
    guard let flow = records[id]?.flow, let due = due(flow),
      serving[flow.snapshot.definition]?.contains(flow.snapshot.version) == true
    else { return false }
    return switch due {
    case .now: true
    case .at(let time): time <= now
    }
  }
}

extension Int64 {
  /// Returns a time in microseconds, moved on by a duration; never moves it back, and stops at the greatest time.
  func later(by time: Duration) -> Int64 {
    let (seconds, attoseconds) = Duration.zero.later(by: time).components
    let (added, tooMuch) = addingReportingOverflow(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    return tooMuch ? .max : added
  }
}
