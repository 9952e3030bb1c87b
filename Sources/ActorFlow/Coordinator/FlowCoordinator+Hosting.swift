// For hosts: flows that are kept beyond the process.
extension FlowCoordinator {
  /// A coordinator of a flow that was read back. It stands still until ``activate()``.
  package init(resuming machine: FlowMachine, settings: CoordinatorSettings) {
    self.init(id: machine.flow, settings: settings, machine: machine)
  }

  /// Begins a run, and returns when its beginning is committed. Nothing of a step's has run yet.
  package nonisolated func begin(_ graph: Graph, with input: any Sendable) async throws {
    try await launch(graph, with: input)
  }

  /// Whether nothing goes on any more: the run has ended, or a step failed and somebody is to see to it.
  package var hasStopped: Bool { machine.phase == .ended || machine.fault != nil }

  /// Whether the flow waits for somebody outside or for the clock, or has ended.
  package var isSettled: Bool { machine.isSettled }

  /// Whether the flow's steps do nothing but wait for somebody outside or for the clock, or the flow is at rest.
  package var canPassivate: Bool { machine.canPassivate }

  /// Waits for that.
  package nonisolated func passivatable() async throws { _ = try await wait(for: .passivatable) }

  /// The number of the latest event, if the flow waits, and a step that asks and waits at once has its question open.
  package var presentableSequence: Int? { machine.isPresentable ? machine.sequence : nil }

  /// Waits until there is such a number.
  package nonisolated func presentable() async throws { _ = try await wait(for: .presentable) }

  /// The time since the run's start, and the time at which something is due next, if something is.
  package var timetable: (now: Duration, next: Duration?) { (stopwatch.elapsed(), machine.nextTimer) }

  /// Whether effects of rendered steps run or are about to.
  package var hasEffects: Bool { effects.running > 0 }

  /// Sends a signal. One that nobody waits for gets a number among the events, though it is none: see to it that
  /// something is written under it.
  ///
  /// - Parameter size: How many bytes the value has in a snapshot.
  package nonisolated func sendNumbered<T: Sendable>(
    _ value: T, to signal: Signal<T>, key: String, size: Int
  ) async throws -> Delivery {
    try await send(value, to: signal.name, key: key, size: size, numbersBuffered: true)
  }

  /// The open question of this id.
  package func openQuestion(_ id: Question.ID) throws -> Question { try machine.openQuestion(id) }

  /// The questions that are open, and those that were when the machine was read back.
  package var questions: [Question.ID] { machine.persistedQuestions }

  /// Whether a signal has come under this key.
  package func hasCome(_ key: String, of signal: String) -> Bool { machine.hasCome(key, of: signal) }

  /// As ``backUp(to:)``.
  ///
  /// - Parameter whenFiled: Called when the request is committed; only then ``activate()`` need be called.
  package nonisolated func backUp(to step: StepID?, from question: Question.ID?, whenFiled: () -> Void) async throws {
    try refuseLeavingInside("try await context.backUp()")
    try await request(whenFiled: whenFiled) { machine, stopwatch in
      if let question { return try machine.backUp(from: question, since: stopwatch.elapsed()) }
      return try machine.backUp(to: step, since: stopwatch.elapsed())
    }
  }

  /// As ``abandon(reason:rollingBack:)``.
  package nonisolated func abandon(reason: String, rollingBack: Bool, whenFiled: () -> Void) async throws {
    try refuseLeavingInside("try await context.abandon(_:)")
    try await request(whenFiled: whenFiled) { machine, stopwatch in
      try machine.abandon(reason: reason, rollBack: rollingBack, since: stopwatch.elapsed())
    }
  }
}
