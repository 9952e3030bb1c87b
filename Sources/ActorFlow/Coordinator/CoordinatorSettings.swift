/// The settings of a coordinator.
package struct CoordinatorSettings: Sendable {
  package var clock: any Clock<Duration> = ContinuousClock()
  package var eventLog = 256
  package var journal = FlowMachine.Journal.off
  package var commit: (@Sendable (FlowMachine) async throws -> Void)?
  /// The persistence of a durable flow, which takes the place of `commit`, `clock` and `journal`.
  package var persistence: FlowPersistence?

  package init() {}

  /// Whether a run's visits are replayed.
  var machineJournal: FlowMachine.Journal { persistence == nil ? journal : .persisting }
}

/// The persistence of a durable flow. A class, so that the many coordinators without one store only a reference.
package final class FlowPersistence: Sendable {
  let codec: any ValueCodec
  let watch: any Stopwatch
  let commit: Commit

  /// Commits a machine before it is adopted: called with the events since the last commit, and with the cause of the
  /// input. An error refuses the input; if the walk gave the input, the run stops.
  package typealias Commit = @Sendable (FlowMachine, [NavigationEvent], (any CommitCause)?) async throws -> Void

  /// - Parameters:
  ///   - codec: Packs prompts. Values are packed by the code that commits.
  ///   - watch: Measures the time since the flow's start, in whichever process that was.
  package init(codec: any ValueCodec, watch: any Stopwatch, commit: @escaping Commit) {
    (self.codec, self.watch, self.commit) = (codec, watch, commit)
  }
}
