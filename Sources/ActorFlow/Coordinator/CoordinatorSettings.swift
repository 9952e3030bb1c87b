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
  let start: Duration?
  let commit: Commit
  /// Holds a machine back; `nil` if every decision is committed at once.
  let holding: Holding?
  /// Commits a decision that may be the last one in this process; `nil` if no commit passivates the flow.
  let lastCommit: LastCommit?
  /// The format in which the flow is stored.
  let format: UInt8
  let refuse: Refuse
  /// The observation of the flow's code; `nil` if the host has no observers.
  let observation: FlowObservation?
  /// The trace context of the flow.
  let trace: TraceContext

  /// Commits a machine before it is adopted: called with the events since the last commit, and with the cause of the
  /// input. An error refuses the input; if the walk gave the input, the run stops.
  package typealias Commit = @Sendable (FlowMachine, [NavigationEvent], (any CommitCause)?) async throws -> Void

  /// Commits a machine after which no code of a step runs until the next request, as ``Commit`` does.
  ///
  /// Returns whether the flow is to be passivated in the very turn that adopts the machine. The flow then makes no other
  /// commit in this process.
  package typealias LastCommit = @Sendable (FlowMachine, [NavigationEvent], (any CommitCause)?) async throws -> Bool

  /// Takes over the machines whose commit waits for the next one.
  package struct Holding: Sendable {
    let hold: @Sendable (FlowMachine, [NavigationEvent]) async throws -> Void
    let flush: @Sendable () async -> Void

    /// - Parameters:
    ///   - hold: Called with a machine before it is adopted, and with its events. Throws what a commit of it would throw
    ///     if that can be known without a store. The next commit includes the machine; its events are not handed to
    ///     `commit` again.
    ///   - flush: Commits the machine that was held back last, if no commit has included it.
    package init(
      hold: @escaping @Sendable (FlowMachine, [NavigationEvent]) async throws -> Void,
      flush: @escaping @Sendable () async -> Void
    ) {
      (self.hold, self.flush) = (hold, flush)
    }
  }

  /// The longest time for which a commit waits for the next one.
  var holdTime: Duration? { holding == nil ? nil : .milliseconds(100) }

  /// Notes that the code of a step does not fit the flow's stored state any more: called before the flow is passivated
  /// for that reason.
  package typealias Refuse = @Sendable (FlowError) async -> Void

  /// - Parameters:
  ///   - codec: Packs prompts. Values are packed by the code that commits.
  ///   - watch: Measures the time since the flow's start, in whichever process that was.
  ///   - start: The time from the first moment of 1970, in UTC, to the flow's start; `nil` if it is not known.
  ///   - format: The format in which the flow is stored; see ``refuse(_:of:)``.
  ///   - holding: Takes over the machines whose commit may wait; `nil` to commit every decision at once.
  ///   - lastCommit: Commits a decision that may be the last one in this process; `nil` if no commit passivates the
  ///     flow.
  ///   - observation: Sees the flow's code run; `nil` if nothing does.
  ///   - trace: The trace context of the flow.
  package init(
    codec: any ValueCodec, watch: any Stopwatch, start: Duration? = nil, format: UInt8 = .max,
    holding: Holding? = nil, lastCommit: LastCommit? = nil, observation: FlowObservation? = nil,
    trace: TraceContext = TraceContext(), refuse: @escaping Refuse = { _ in }, commit: @escaping Commit
  ) {
    (self.codec, self.watch, self.start, self.format) = (codec, watch, start, format)
    (self.refuse, self.holding, self.lastCommit, self.commit) = (refuse, holding, lastCommit, commit)
    (self.observation, self.trace) = (observation, trace)
  }

  /// Whether prompts are journaled under their qualified names, and `attempt`, `now` and `reply` have a place in the
  /// stored state.
  var hasFormat6: Bool { format >= 6 }

  /// Refuses a call of a step whose result the flow's format cannot hold, before the call does anything.
  ///
  /// - Parameter needed: The first format that can hold the result.
  /// - Throws: A ``FlowError`` with the code `notStorable` that names the remedy.
  func refuse(_ call: String, of flow: FlowID, before needed: UInt8 = 6) throws {
    guard format < needed else { return }
    throw FlowError(
      .notStorable,
      "`\(call)` needs format \(needed) of stored flows, and this flow is stored in format \(format): once every host "
        + "runs this version, set the host's option `writesFormat` to \(needed)",
      flow: flow)
  }

  /// Refuses to ask an audited prompt if the flow's format has no answers in its history.
  ///
  /// - Throws: A ``FlowError`` with the code `notStorable` that names the remedy.
  func refuse(_ prompt: any Prompt.Type, of flow: FlowID) throws {
    try refuse("ask(\(prompt))", of: flow, before: 9)
  }
}
