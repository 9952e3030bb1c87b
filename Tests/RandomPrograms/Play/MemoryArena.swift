package import ActorFlow
package import ActorFlowTesting

/// A program that runs on a coordinator, in memory.
package final class MemoryArena: Arena {
  package let world: World
  package let coordinator: FlowCoordinator
  package let clock: ManualClock
  package let run: Task<String, Never>
  private let isOver: Flag

  /// - Parameter start: The step to start at and those on the stack below it; `nil` for the beginning of the program.
  package init(
    _ program: Program, startingAt start: (step: StepID, earlier: [StepID])? = nil, yields: Bool = false
  ) throws {
    let (world, clock) = (World(yields: yields), ManualClock())
    let coordinator = FlowCoordinator(id: "flow", clock: clock, eventLog: 100_000)
    let isOver = Flag()
    (self.world, self.clock, self.coordinator, self.isOver) = (world, clock, coordinator, isOver)
    let flow = try program.flow(in: world.newHostSession())
    run = Task {
      defer { isOver.raise() }
      do {
        guard let start else { return "finished \(try await coordinator.run(flow, with: Value()).trail)" }
        let earlier = start.earlier.map { EarlierStep($0, input: Value()) }
        let output = try await coordinator.run(
          flow, with: Value(), startingAt: start.step, input: Value(), after: earlier)
        return "finished \(output.trail)"
      } catch { return word(for: error) }
    }
  }

  package var hasEnded: Bool { isOver.isRaised }

  package var questions: [AskedQuestion] {
    get async {
      await coordinator.position.questions.map { question in
        AskedQuestion(id: question.id, step: question.step.name, text: (question.prompt as? Form)?.text ?? "?")
      }
    }
  }

  package func answer(_ question: Question.ID, with command: Command) async -> String {
    await outcome { try await coordinator.answer(question, with: command, by: .player) }
  }

  package func send(_ value: Int, to signal: String, key: String?) async -> String {
    do { return "\(try await coordinator.send(value, to: Signal<Int>(signal), key: key))" } catch {
      return word(for: error)
    }
  }

  package func backUp(to step: String?) async -> String {
    await outcome { try await coordinator.backUp(to: step.map { StepID($0) }) }
  }

  package func backUp(from question: Question.ID) async -> String {
    await outcome { try await coordinator.backUp(from: question) }
  }

  package func abandon(rollingBack: Bool) async -> String {
    await outcome { try await coordinator.abandon(reason: "outside", rollingBack: rollingBack) }
  }

  package var suspendsOnFailure: Bool { false }

  package func retry() async {}

  package func complete(_ step: String, with number: Int, of program: Program) async -> String { "hosted flows only" }

  package func enter(_ step: String, with number: Int, of program: Program) async -> String { "hosted flows only" }

  package func reassign(_ question: Question.ID) async {}

  package func edit() async {}

  package func compensateAgain() async {}

  package func redact() async {}

  package func refresh() async {}
  package func move() async {}

  package func note() async {}

  package func cancelCaller() { run.cancel() }

  package func advance(by time: Duration) async { clock.advance(by: time) }

  /// Waits until the flow pauses for this long. The sleep may be shorter, until the deadline of a scope around.
  func awaitSleep(of time: Duration) async {
    let end = clock.now.advanced(by: time)
    var limit = PollLimit(turns: 1_000_000)
    while limit.allowsAnother() {
      if clock.deadlines.contains(where: { $0 <= end }), await coordinator.isSettled { return }
      await Task.yield()
    }
  }

  /// The events of the run, which has ended.
  package var events: [NavigationEvent] {
    get async {
      var all: [NavigationEvent] = []
      for await event in coordinator.events { all.append(event) }
      return all
    }
  }

  /// Checks rule 7: nothing keeps a step alive when `run` has returned.
  package func checkNothingIsAlive() async throws(Violation) {
    // A thread that has just left an actor may hold it a moment longer.
    var limit = PollLimit(turns: 100_000)
    while limit.allowsAnother() {
      if world.living == 0 { return }
      await Task.yield()
    }
    try expect(world.living == 0, "rule 7: \(world.living) steps live on after the run")
  }
}

private final class Flag: Sendable {
  private let state = Lock(false)
  var isRaised: Bool { state.withLock { $0 } }
  func raise() { state.withLock { $0 = true } }
}
