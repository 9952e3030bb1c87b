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
  }

  /// Removes flows that have ended before a time, with their histories, and reports them.
  ///
  /// Each flow is read before it is removed, and its state decides whether it has ended. These flows are kept, and
  /// named in the report: those with a `backUp` that failed, because `retry` can still run it; those that cannot be
  /// read; and those that another host holds. A flow that is in memory at this host is passed over. As for a flow that
  /// is deleted, ``Options/rememberEnded`` says how long an id is remembered.
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
      cursor = page.cursor
    } while cursor != nil
    return report
  }

  /// Removes a flow if it is expired and not in memory here, and reports it.
  ///
  /// - Throws: `CancellationError`; a `FlowError` if the host cannot work; errors of a store that is away.
  func purge(_ id: FlowID, if expired: ExpiredFlows, _ report: inout PurgeReport) async throws {
    do {
      let isPurged = try await behindDoor(of: id) {
        guard live[id] == nil else { return false }
        return try await remove(id, if: expired)
      }
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

  private func remove(_ stored: StoredFlow?, fence: Fence?, if expired: ExpiredFlows) async throws -> Bool {
    guard let stored else { return false }
    let state: HostedState
    do { state = try shared.state(of: stored) } catch is ErasedKey {
      // Only the row says how the flow has ended. Nothing of it can be retried.
      let snapshot = stored.snapshot
      let isExpired = expired.contain(snapshot.status, changedAt: stored.changedAt)
      guard snapshot.status.isTerminal, isExpired else { return false }
      try await remove(stored, fence: fence)
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
    try await remove(stored, fence: fence)
    return true
  }
}
