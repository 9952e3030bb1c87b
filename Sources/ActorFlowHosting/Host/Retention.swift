import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowHost {
  /// The times for which the flows of a definition stay in the store after they have ended, for each kind of ending.
  ///
  /// Give it to ``FlowHost/register(_:version:from:moves:where:stores:retention:)``; ``FlowHost/run()`` then removes what is
  /// older. A time longer than 200 years counts as 200 years.
  public struct Retention: Sendable, Equatable {
    /// The time for finished flows; `nil` for ever.
    public var finished: Duration?
    /// The time for flows that have ended because a step failed; `nil` for ever. Suspended flows have not ended.
    public var failed: Duration?
    /// The time for abandoned flows; `nil` for ever.
    public var abandoned: Duration?
    /// The time for cancelled flows; `nil` for ever.
    public var cancelled: Duration?

    /// Creates a retention; flows with an ending that is not named stay for ever.
    public init(
      finished: Duration? = nil, failed: Duration? = nil, abandoned: Duration? = nil, cancelled: Duration? = nil
    ) {
      (self.finished, self.failed, self.abandoned, self.cancelled) = (finished, failed, abandoned, cancelled)
    }

    /// Returns a retention with one time for all endings.
    public static func all(_ time: Duration) -> Retention {
      Retention(finished: time, failed: time, abandoned: time, cancelled: time)
    }
  }
}

extension FlowHost.Retention {
  private var times: [(status: FlowSnapshot.Status, name: String, time: Duration)] {
    let all: [(FlowSnapshot.Status, String, Duration?)] = [
      (.finished, "finished", finished), (.failed, "failed", failed), (.abandoned, "abandoned", abandoned),
      (.cancelled, "cancelled", cancelled),
    ]
    return all.compactMap { status, name, time in time.map { (status, name, $0) } }
  }

  /// Sentences for the times that no host can work with, one each.
  var problems: [String] {
    times.filter { $0.time < .zero }
      .map { "the retention of \($0.name) flows is \($0.time.bounded); it must be zero or more" }
  }

  /// Returns the flows that are to be removed at this time.
  func expired(at now: Date) -> ExpiredFlows {
    var expired = ExpiredFlows()
    for (status, _, time) in times {
      expired.times[status] = now.addingTimeInterval(-(time.bounded / .seconds(1)))
    }
    return expired
  }
}

/// The flows that are to be removed: those with an ending that is named, and written last before the time beside it.
struct ExpiredFlows: Sendable, Equatable {
  var times: [FlowSnapshot.Status: Date] = [:]

  /// The statuses under which such flows are listed.
  var listed: Set<FlowSnapshot.Status> {
    let statuses = Set(times.keys)
    // A flow that failed for good under a host of an earlier version is listed as suspended.
    return times[.failed] == nil ? statuses : statuses.union([.suspended])
  }

  func contain(_ status: FlowSnapshot.Status, changedAt: Date) -> Bool {
    times[status].map { changedAt < $0 } ?? false
  }

  /// Whether a flow may be one of them, as far as its row in a list says.
  func mayContain(_ flow: FlowSummary) -> Bool {
    contain(flow.status == .suspended ? .failed : flow.status, changedAt: flow.changedAt)
  }
}
