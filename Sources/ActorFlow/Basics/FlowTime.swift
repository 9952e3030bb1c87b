/// A moment of a run, as its steps see it: the same in the first run of a visit and in each replay.
///
/// The core has no calendar. For a flow on a host, the module `ActorFlowHosting` adds the property `date`.
public struct FlowTime: Hashable, Sendable, Codable {
  /// The time from the run's start, by the coordinator's clock, or by the clock of the flow's host. For a durable flow
  /// the time also runs while no host does.
  public let sinceStart: Duration
  /// The time from the first moment of 1970, in UTC, to the run's start; `nil` if the flow has no host.
  package let start: Duration?

  /// Creates a moment of a flow without a host.
  public init(sinceStart: Duration) {
    self.init(sinceStart: sinceStart, start: nil)
  }

  package init(sinceStart: Duration, start: Duration?) {
    (self.sinceStart, self.start) = (sinceStart, start)
  }
}
