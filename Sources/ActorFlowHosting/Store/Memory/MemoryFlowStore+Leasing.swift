public import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension MemoryFlowStore {
  /// Leases a flow to an owner.
  public func acquire(_ id: FlowID, owner: String, for time: Duration) async throws -> FlowLease {
    let now = clock.now.microseconds
    let until = now.later(by: time)
    let fence = try state.withLock { state throws(FlowStoreError) in
      let fence = try state.leases.give(id, to: owner, at: now, until: until)
      state.noteDue(of: id)
      return fence
    }
    return FlowLease(id: id, owner: owner, fence: fence, until: Date(microseconds: until))
  }

  /// Moves the end of a lease to `time` from now.
  public func renew(_ lease: FlowLease, for time: Duration) async throws -> FlowLease {
    let until = clock.now.microseconds.later(by: time)
    try state.withLock { state throws(FlowStoreError) in
      try state.leases.extend(lease, until: until)
      state.noteDue(of: lease.id)
    }
    var renewed = lease
    renewed.until = Date(microseconds: until)
    return renewed
  }

  /// Releases a lease.
  public func release(_ lease: FlowLease) async throws {
    state.withLock { state in
      guard state.leases.giveBack(lease.fence, of: lease.id) else { return }
      // Without a flow there is no write that the fence would have to refuse.
      if state.records[lease.id] == nil { state.leases.forget(lease.id) }
      state.noteDue(of: lease.id)
    }
  }

  /// Leases flows that have work to do.
  public func claimDue(
    owner: String, serving: [String: ClosedRange<Int>], for time: Duration, limit: Int
  ) async throws -> [FlowLease] {
    let now = clock.now.microseconds
    let until = now.later(by: time)
    return state.withLock { state in
      state.due.due(at: now, serving: serving, limit: limit).compactMap { name in
        let id = FlowID(name)
        // A due flow has no valid lease, so this never throws.
        guard let fence = try? state.leases.give(id, to: owner, at: now, until: until) else { return nil }
        state.noteDue(of: id)
        return FlowLease(id: id, owner: owner, fence: fence, until: Date(microseconds: until))
      }
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
