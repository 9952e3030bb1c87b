/// What a coordinator is made with.
package struct CoordinatorSettings: Sendable {
  package var clock: any Clock<Duration> = ContinuousClock()
  package var eventLog = 256
  package var journal = FlowMachine.Journal.off
  package var commit: (@Sendable (FlowMachine) async throws -> Void)?
  /// How the flow is kept beyond the process; takes the place of `commit`, `clock` and `journal`.
  package var persistence: FlowPersistence?

  package init() {}

  /// Whether a run's visits are replayed.
  var machineJournal: FlowMachine.Journal { persistence == nil ? journal : .persisting }
}

/// How a flow is kept beyond the process that runs it. A class, because hardly any flow has one and each keeps room for
/// it.
package final class FlowPersistence: Sendable {
  let codec: any ValueCodec
  let watch: Stopwatch
  let commit: @Sendable (FlowMachine, [NavigationEvent]) async throws -> Void

  /// - Parameters:
  ///   - codec: Packs prompts; values are packed by whoever commits.
  ///   - watch: Tells the time since the flow's start, in whichever process that was.
  ///   - commit: Called with each machine before it is adopted, and with the events since the last commit. What it
  ///     throws refuses the input; if it was an input of the walk's own, the run stops.
  package init(
    codec: any ValueCodec, watch: Stopwatch,
    commit: @escaping @Sendable (FlowMachine, [NavigationEvent]) async throws -> Void
  ) {
    (self.codec, self.watch, self.commit) = (codec, watch, commit)
  }
}
