import ActorFlow
import Testing

@Suite("Scenarios: memory") struct MemoryScenarios {
  @Test("SC-111 places that are backed up over are freed, and all are when the flow ends", arguments: [true, false])
  func freed(finishes: Bool) async throws {
    let counter = LiveCounter()
    let flow = Flow {
      for name in ["a", "b", "c"] { Step(name) { CountedAsker(counter) } }
    }
    let coordinator = FlowCoordinator()
    _ = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      try await coordinator.answerNext("2", at: "b")
      #expect(try await coordinator.focus() == "c")
      #expect(counter.now == 3)
      try await coordinator.backUp(to: "a")
      #expect(try await coordinator.focus() == "a")
      #expect(counter.now == 1)
      try await coordinator.answerNext("3", at: "a")
      #expect(try await coordinator.focus() == "b")
      #expect(counter.now == 2)
      guard finishes else { return try await coordinator.abandon() }
      try await coordinator.answerNext("4", at: "b")
      try await coordinator.answerNext("5", at: "c")
    }
    let events = await allEvents(of: coordinator)
    #expect(counter.now == 0)
    #expect(withExtendedLifetime((events, coordinator)) { counter.ever } == (finishes ? 5 : 4))
  }

  @Test("FS-25 a flow of a hundred thousand automatic steps runs to its end")
  func manySteps() async throws {
    let count = 100_000
    let flow = Flow {
      for _ in 1...count { Step("n") { (number: Int) in number + 1 } }
    }
    let coordinator = FlowCoordinator()
    #expect(try await coordinator.run(flow, with: 0) == count)
    let position = await coordinator.position
    #expect(position.stack.count == count)
    #expect(position.step?.name == "n#\(count)")
  }

  @Test("FS-26 steps that retain their coordinator, their context and each other's results leave no cycle behind")
  func cycles() async throws {
    let coordinator = Collected<WeakReference<FlowCoordinator>>()
    let result = Collected<WeakReference<CycleMember>>()
    let counter = LiveCounter()
    func play() async throws {
      let held = FlowCoordinator()
      coordinator.append(WeakReference(held))
      let flow = Flow {
        for name in ["a", "b", "a"] {
          Step(name) { RetainingStep(to: held, counter) }
        }
      }
      let knot = CycleMember()
      let outcome = try await running(flow, with: knot, on: held) { held in
        try await held.answerNext("1", at: "a")
        try await held.answerNext("2", at: "b")
        #expect(try await held.backUpAndSettle() == "b")
        try await held.answerNext("3", at: "b")
        try await held.answerNext("4", at: "a#2")
      }
      result.append(WeakReference(try outcome.get()))
    }
    try await play()
    #expect(coordinator.last?.object == nil)
    #expect(result.last?.object == nil)
    #expect((counter.now, counter.ever) == (0, 4))
  }
}

/// A result whose release is observed.
private final class CycleMember: Sendable {}

/// A step that retains everything it can access.
private actor RetainingStep: FlowStep {
  private let coordinator: FlowCoordinator
  private let token: LiveCounter.Token
  private var context: StepContext?
  private var input: CycleMember?

  init(to coordinator: FlowCoordinator, _ counter: LiveCounter) {
    self.coordinator = coordinator
    token = counter.token()
  }

  func proceed(_ input: CycleMember, context: StepContext) async throws -> CycleMember {
    self.context = context
    self.input = input
    _ = try await context.ask(Form(text: "go on?"))
    return input
  }

  func backUp(context: RollbackContext) {}
}
