// For hosts: flows that are kept beyond the process.
extension FlowCoordinator {
  /// A coordinator of a flow that was read back. It stands still until ``goOn()``.
  package init(resuming machine: FlowMachine, settings: CoordinatorSettings) {
    self.init(id: machine.flow, settings: settings, machine: machine)
  }

  /// Begins a run, and returns when its beginning is committed. Nothing of a step's has run yet.
  package nonisolated func begin(_ graph: Graph, with input: any Sendable) async throws {
    _ = try await launch(graph, with: input)
  }

  /// Walks on until the run has ended, the flow stands still, or it is put away, because of ``park()`` or because the
  /// calling task is cancelled.
  package nonisolated func goOn() async { await core.goOn() }

  /// Puts the flow away. Whatever runs is cancelled; ``goOn()`` returns when it has ended.
  package nonisolated func park() { core.park() }

  /// Puts the flow away, or finds that it has ended or was put away, unless its steps do more than wait, a timer is due,
  /// or a reminder is to run. Returns false for a flow that goes on.
  package nonisolated func parkIfIdle() async -> Bool { await core.parkIfIdle() }

  package nonisolated var isParked: Bool { core.isParked }

  /// Whether nothing goes on any more: the run has ended, or a step failed and somebody is to see to it.
  package nonisolated var isAtRest: Bool { core.isAtRest }

  /// Whether the flow waits for somebody outside or for the clock, or has ended.
  package nonisolated var isSettled: Bool { core.isSettled }

  /// Whether the flow's steps do nothing but wait for somebody outside or for the clock, or the flow is at rest.
  package nonisolated var isResting: Bool { core.isResting }

  /// Waits for that.
  package nonisolated func rests() async throws { _ = try await core.wait(for: .resting) }

  /// The number of the latest event, if the flow waits, and a step that asks and waits at once has its question open.
  package nonisolated var shownSequence: Int? { core.shownSequence }

  /// Waits until there is such a number.
  package nonisolated func shows() async throws { _ = try await core.wait(for: .showing) }

  /// Waits for commits that are under way: what is in the store by now, is known here.
  package nonisolated func catchUp() async throws { try await core.catchUp() }

  /// Does what is due by now, rather than wait for the timer to do it. Whether anything was.
  package nonisolated func ringDue() async throws -> Bool { try await core.ringDue() }

  /// Waits until nobody who asks is at work on a reminder: it counts as done, so it must not be put away undone.
  ///
  /// - Throws: `CancellationError` if the waiting task is cancelled before.
  package nonisolated func askersAreBack() async throws { try await core.askersAreBack() }

  /// The time since the run's start, and the time at which something is due next, if something is.
  package nonisolated var timetable: (now: Duration, next: Duration?) { core.timetable }

  /// Whether effects of rendered steps run or are about to.
  package nonisolated var hasEffects: Bool { core.hasEffects }

  /// Waits until none does.
  package nonisolated func effectsHaveEnded() async throws { try await core.effectsHaveEnded() }

  /// Sends a signal. One that nobody waits for gets a number among the events, though it is none: see to it that
  /// something is written under it.
  ///
  /// - Parameter size: How many bytes the value has in a snapshot.
  package nonisolated func sendNumbered<T: Sendable>(
    _ value: T, to signal: Signal<T>, key: String, size: Int
  ) async throws -> Delivery {
    try await core.send(value, to: signal.name, key: key, size: size, numbersKept: true)
  }

  /// Waits until a question that was open when the machine was read back is asked again, or is not going to be.
  package nonisolated func reopened(_ question: Question.ID) async throws { try await core.reopened(question) }

  /// The open question of this id.
  package nonisolated func openQuestion(_ id: Question.ID) throws -> Question { try core.openQuestion(id) }

  /// The questions that are open, and those that were when the machine was read back.
  package nonisolated var questions: [Question.ID] { core.questions }

  /// Whether a signal has come under this key.
  package nonisolated func hasCome(_ key: String, of signal: String) -> Bool { core.hasCome(key, of: signal) }

  /// As ``backUp(to:)``.
  ///
  /// - Parameter whenFiled: Called when the request is committed; only then ``goOn()`` need be called.
  package nonisolated func backUp(to step: StepID?, from question: Question.ID?, whenFiled: () -> Void) async throws {
    try refuseLeavingInside("try context.backUp()")
    let (core, since) = (core, core.elapsed)
    try await core.request({ .landed($0.number, on: $0.track) }, whenFiled: whenFiled) { machine in
      if let question { return try machine.backUp(from: question, since: since) }
      return try machine.backUp(to: step, since: since)
    }
  }

  /// As ``abandon(reason:rollingBack:)``.
  package nonisolated func abandon(reason: String, rollingBack: Bool, whenFiled: () -> Void) async throws {
    try refuseLeavingInside("try context.abandon(_:)")
    let (core, since) = (core, core.elapsed)
    try await core.request({ _ in .ended }, whenFiled: whenFiled) {
      try $0.abandon(reason: reason, rollBack: rollingBack, since: since)
    }
  }
}

extension FlowCore {
  fileprivate var isAtRest: Bool { withState { $0.machine.phase == .ended || $0.machine.fault != nil } }
  fileprivate var timetable: (now: Duration, next: Duration?) { (elapsed, withState { $0.machine.nextAlarm }) }
  fileprivate var hasEffects: Bool { withState { $0.effects.running > 0 } }
  fileprivate var isSettled: Bool { withState { $0.machine.isSettled } }
  fileprivate var shownSequence: Int? { withState { $0.machine.isShowing ? $0.machine.sequence : nil } }
  fileprivate var isResting: Bool { withState { $0.machine.isResting } }
  fileprivate var questions: [Question.ID] { withState { $0.machine.keptQuestions } }

  fileprivate func hasCome(_ key: String, of signal: String) -> Bool {
    withState { $0.machine.hasCome(key, of: signal) }
  }

  fileprivate func openQuestion(_ id: Question.ID) throws -> Question {
    try withState { try $0.machine.openQuestion(id) }
  }
}
