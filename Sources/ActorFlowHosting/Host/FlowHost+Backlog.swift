import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FlowHost {
  /// The flows in a store that are to go on, and those that an operator has to look at.
  public struct Backlog: Sendable, Equatable {
    /// The number of flows that can go on now: those that are runnable, also those at work in a host's memory, and those
    /// whose timer is due.
    public var due = 0
    /// The time since which the oldest of them is due: the date of its timer, or that of its last commit. `nil` if none
    /// is due.
    public var oldestDue: Date?
    /// The number of flows that are suspended because a step failed.
    public var suspended = 0
    /// The number of flows that fit no registered version.
    public var unmigrated = 0
    /// The number of flows that were open when their key was erased, as far as hosts have found that out.
    public var erased = 0
    /// Whether all flows were counted. If not, the numbers are at least those of the store, up to the limit.
    public var isComplete = true
  }

  /// Counts the flows in the store that are to go on or to be looked at, of all hosts.
  ///
  /// The store is asked by status and due time, so the flows that only wait, or have ended, cost nothing. For
  /// ``health()``, which asks no store, a service calls this less often, such as once in a minute.
  ///
  /// Flows that have failed for good count as suspended if they are stored in format 5, which has one status for both.
  ///
  /// A number above zero is no fault while hosts run: ``Backlog/oldestDue`` tells whether they keep up.
  ///
  /// - Parameters:
  ///   - definition: The definition whose flows are counted; `nil` for all.
  ///   - limit: The number of flows of each status to count at most; a number below 1 counts as 1.
  /// - Throws: Errors of the store; `CancellationError` if the calling task is cancelled.
  public func backlog(of definition: String? = nil, limit: Int = 10_000) async throws -> Backlog {
    // A timer at this very moment is due.
    let soon = shared.clock.now.addingTimeInterval(0.000_001)
    let runnable = try await count(.runnable, of: definition, limit: limit)
    let waiting = try await count(.waiting, of: definition, dueBefore: soon, limit: limit)
    let suspended = try await count(.suspended, of: definition, limit: limit)
    let unmigrated = try await count(.unmigrated, of: definition, limit: limit)
    let erased = try await count(.erased, of: definition, limit: limit)
    return Backlog(
      due: runnable.flows + waiting.flows, oldestDue: [runnable.oldest, waiting.oldest].compactMap(\.self).min(),
      suspended: suspended.flows, unmigrated: unmigrated.flows, erased: erased.flows,
      isComplete: [runnable, waiting, suspended, unmigrated, erased].allSatisfy(\.isComplete))
  }

  /// A number of flows, and the time since which the oldest of them is due.
  private struct Count {
    var flows = 0
    var oldest: Date?
    var isComplete = true
  }

  private func count(
    _ status: FlowSnapshot.Status, of definition: String?, dueBefore time: Date? = nil, limit: Int
  ) async throws -> Count {
    let query = FlowQuery(definition: definition, status: [status], dueBefore: time)
    let limit = max(1, limit)
    var count = Count()
    var cursor: String?
    repeat {
      try Task.checkCancellation()
      let page = try await shared.store.list(query, after: cursor, limit: min(limit - count.flows, 1_000))
      for flow in page.flows {
        let since = time == nil ? flow.changedAt : flow.wakeAt ?? flow.changedAt
        count.oldest = min(count.oldest ?? since, since)
      }
      count.flows += page.flows.count
      cursor = page.cursor
    } while cursor != nil && count.flows < limit
    count.isComplete = cursor == nil
    return count
  }
}
