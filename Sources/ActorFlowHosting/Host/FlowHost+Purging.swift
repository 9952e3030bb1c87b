public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FlowHost {
  /// The result of ``FlowHost/purge(_:endedBefore:limit:)``.
  public struct PurgeReport: Sendable {
    /// The flows that were removed.
    public var purged: [FlowID] = []
    /// The flows that have ended before the time and were not removed, each with the reason.
    public var kept: [FlowID: any Error] = [:]
    /// Whether all flows were looked at. If not, call the function again.
    public var isComplete = true
    /// The flows that were not looked at because they are in memory.
    var inMemory: [FlowID] = []
  }

  /// Removes flows that have ended before a time, with their histories, and reports them.
  ///
  /// Each flow is read before it is removed, and its state decides whether it has ended. These flows are kept, and
  /// named in the report: those with a `backUp` that failed, because `retry` can still run it; those that cannot be
  /// read; and those that another host holds or that are in memory at this one, with the code `leased`. As for a flow that
  /// is deleted, ``Options/rememberEnded`` says how long an id is remembered. Observers learn neither who purged nor why:
  /// call ``HostedFlow/purge(endedBefore:reason:by:)`` for each flow if they have to.
  ///
  /// Removed flows stay removed if the calling task is cancelled, or the store fails.
  ///
  /// - Parameters:
  ///   - query: The flows to remove if they have ended; by default of all definitions.
  ///   - time: The time before which a flow must have been written last, by the store's clock.
  ///   - limit: The greatest number of flows to remove; a number below 1 counts as 1.
  /// - Throws: A `FlowError` with the code `hostStopping` or `wrongDeployment`; `CancellationError`. Errors of the store
  ///   when flows are listed, or when it cannot remove one.
  @discardableResult
  public func purge(
    _ query: FlowQuery = FlowQuery(), endedBefore time: Date, limit: Int = 1_000
  ) async throws -> PurgeReport {
    var expired = ExpiredFlows()
    for status in query.status ?? Set(FlowSnapshot.Status.allCases) where status.isTerminal {
      expired.times[status] = time
    }
    var listed = query
    listed.status = expired.listed
    var report = PurgeReport()
    guard !expired.times.isEmpty else { return report }
    var cursor: String?
    repeat {
      let page = try await shared.store.list(listed, after: cursor, limit: 100)
      for flow in page.flows where expired.mayContain(flow) {
        guard report.purged.count < max(1, limit) else {
          report.isComplete = false
          return report
        }
        try Task.checkCancellation()
        try refuseStopping()
        try await purge(flow.id, if: expired, &report)
      }
      for id in report.inMemory {
        report.kept[id] = FlowStoreError(.leased, "the flow is in memory at this host; purge again when it has left it")
      }
      report.inMemory = []
      cursor = page.cursor
    } while cursor != nil
    return report
  }

  /// Removes a flow if it is expired and not in memory here, and reports it.
  ///
  /// - Throws: `CancellationError`; a `FlowError` if the host cannot work; errors of a store that is away.
  func purge(_ id: FlowID, if expired: ExpiredFlows, _ report: inout PurgeReport) async throws {
    do {
      let isPurged: Bool? = try await behindDoor(of: id) {
        if let flow = live[id] { return flow.committer.state.machine.ending == nil ? false : nil }
        return try await remove(id, if: expired)
      }
      guard let isPurged else { return report.inMemory.append(id) }
      guard isPurged else { return }
      report.purged.append(id)
      shared.changed(id, wakeAt: nil)
      shared.announceEnd(of: id)
    } catch let error as FlowError where error.code == .rollbackFailed {
      report.kept[id] = error
    } catch let error as FlowStoreError where error.code != .unavailable && error.code != .outcomeUnknown {
      // Another host has removed the flow.
      if error.code != .notFound { report.kept[id] = error }
    }
  }

  /// Removes a flow if it is expired. Returns false if it is not.
  private func remove(_ id: FlowID, if expired: ExpiredFlows) async throws -> Bool {
    let leased = try await lease(of: id)
    do {
      let stored = if let leased { leased.flow } else { try await shared.store.load(id) }
      let isRemoved = try await remove(stored, fence: leased?.lease.fence, if: expired)
      await giveBack(leased?.lease)
      return isRemoved
    } catch {
      await giveBack(leased?.lease)
      throw error
    }
  }

  private func remove(
    _ stored: StoredFlow?, fence: Fence?, if expired: ExpiredFlows, _ deletion: Deletion = Deletion()
  ) async throws -> Bool {
    guard let stored else { return false }
    let state: HostedState
    do { state = try shared.state(of: stored) } catch is ErasedKey {
      // Only the row says how the flow has ended. Nothing of it can be retried.
      let snapshot = stored.snapshot
      let isExpired = expired.contain(snapshot.status, changedAt: stored.changedAt)
      guard snapshot.status.isTerminal, isExpired else { return false }
      try await remove(stored, fence: fence, deletion)
      return true
    } catch {
      // A codec may throw an error of its own.
      throw error as? FlowStoreError
        ?? FlowStoreError(.corrupted, "the state of the flow \(stored.id.shown) cannot be read", underlying: error)
    }
    let status = state.status(indexedAs: stored.snapshot.status)
    guard state.machine.ending != nil, expired.contain(status, changedAt: stored.changedAt) else { return false }
    guard state.machine.undoFailures.isEmpty else {
      throw FlowError(
        .rollbackFailed,
        "the flow is kept because some of its `backUp`s failed; call `compensateAgain` to run them again, or delete the flow",
        flow: stored.id)
    }
    try await remove(stored, fence: fence, deletion)
    return true
  }
}

// MARK: - One flow

extension HostedFlow {
  /// Removes the flow with its history if it has ended before a time, for a purge that says by whom and why.
  ///
  /// The flow is read under its lease, and its state decides whether it has ended: a flow that was started anew under the
  /// id stays. A flow that has ended and is in memory here is passivated first. Observers learn of the removal as for
  /// ``delete(reason:by:)``, and the guard of the host is asked for the same verb. For many flows:
  ///
  /// ```swift
  /// let ended = FlowQuery(status: [.finished, .abandoned], changedBefore: time)
  /// let report = try await host.each(ended, by: cleo) { flow in
  ///   try await flow.purge(endedBefore: time, reason: "older than a year")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - time: The time before which the flow must have been written last, by the store's clock.
  ///   - reason: The reason, for observers, of at most 1,024 UTF-8 bytes.
  ///   - principal: The principal who purges, if it is another one than that of the handle.
  /// - Throws: A `FlowError`; the flow is still there then: `notEnded` if it is open, or was written at the time or later;
  ///   `rollbackFailed` if a `backUp` has failed, because `retry` can still run it. Else as ``delete(reason:by:)``, and a
  ///   ``FlowStoreError`` with the code `corrupted` if the state cannot be read.
  public func purge(endedBefore time: Date, reason: String = "", by principal: Principal? = nil) async throws {
    let caller = HostedFlow(id: id, principal: principal ?? self.principal, host: host)
    try await caller.allow(.delete)
    try await host.purge(id, endedBefore: time, reason: reason, by: caller.principal)
  }
}

extension FlowHost {
  func purge(_ id: FlowID, endedBefore time: Date, reason: String, by principal: Principal?) async throws {
    try HostRequest.check(reason, "the reason of a purge", of: id)
    let deletion = Deletion(reason: reason, principal: principal?.id)
    var expired = ExpiredFlows()
    for status in FlowSnapshot.Status.allCases where status.isTerminal { expired.times[status] = time }
    let notEnded = FlowError(
      .notEnded, "only a flow that has ended before the time of the purge is removed; delete it, or name a later time",
      flow: id)
    try await untilRemoved(id) {
      if let flow = live[id] {
        try await passivate(flow, of: id, else: notEnded)
        return false
      }
      return try await behindDoor(of: id) {
        guard live[id] == nil else { return false }
        return try await withStored(id) { stored, fence in
          guard try await remove(stored, fence: fence, if: expired, deletion) else { throw notEnded }
          return true
        }
      }
    }
  }
}
