import ActorFlow
import Testing

@Suite("Rule 7: nothing survives the flow") struct Rule07NothingSurvivesTests {
  /// Weak references to all steps of a flow.
  private final class Made: Sendable {
    private struct Weak: Sendable { weak var step: ScriptedStep? }
    private let steps = Lock<[Weak]>([])
    func add(_ step: ScriptedStep) -> ScriptedStep {
      steps.withLock { $0.append(Weak(step: step)) }
      return step
    }
    var count: Int { steps.withLock { $0.count } }
    var alive: Int { steps.withLock { $0.filter { $0.step != nil }.count } }
  }

  private func flow(_ made: Made) -> Flow<String, String> {
    @Sendable func ask() -> ScriptedStep {
      made.add(ScriptedStep { _, context in try await context.ask(Form(text: context.step.name)) })
    }
    return Flow {
      Step("a") { ask() }
      Step("b") { ask() }.onBackUp(.passThrough)
      Step("c") {
        made.add(
          ScriptedStep { _, context in
            let answer = try await context.ask(Form(text: "c"))
            if answer == "fail" { throw Refused() }
            return answer
          })
      }
    }
  }

  @Test("no step is retained by the coordinator, an event, a position or a stream", arguments: LeavingBy.allCases)
  func stepsAreFreed(by: LeavingBy) async throws {
    let made = Made()
    let flow = launch(flow(made), with: "")
    let stream = flow.coordinator.events
    for _ in 1...2 { try await flow.answer("1") }
    let position = try await flow.coordinator.settled()
    switch by {
    case .back:  // finished, here
      try await flow.coordinator.backUp()
      for _ in 1...3 { try await flow.answer("2") }
    case .abandon: try await flow.coordinator.abandon(reason: "")
    case .failure: try await flow.answer("fail")
    case .cancelledCaller: flow.run.cancel()
    }
    _ = await flow.result
    #expect(made.count == (by == .back ? 5 : 3))
    #expect(made.alive == 0)
    let events = await flow.events
    #expect(!events.isEmpty)
    withExtendedLifetime((position, stream, events, flow.coordinator)) {}
  }

  @Test("a place that was backed up over is freed when the flow has landed")
  func backedOver() async throws {
    let made = Made()
    let flow = launch(flow(made), with: "")
    for _ in 1...2 { try await flow.answer("1") }
    _ = try await flow.coordinator.settled()
    #expect(made.alive == 3)
    try await flow.coordinator.backUp()
    _ = try await flow.coordinator.settled()
    #expect(made.alive == 1)
    flow.run.cancel()
    _ = await flow.result
    #expect(made.alive == 0)
  }

  @Test("a settled step is freed when the next one is entered")
  func settled() async throws {
    let made = Made()
    let flow = launch(
      Flow {
        Step("a") { made.add(ScriptedStep { _, context in try await context.ask(Form(text: "a")) }) }
        Step("b") { made.add(ScriptedStep { input, _ in input }) }.onBackUp(.settling)
        Step("c") { Asker() }
      }, with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    #expect(made.count == 2)
    #expect(made.alive == 0)
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("a settled step is freed also when the walk began at it, after a back")
  func settledAfterBack() async throws {
    let made = Made()
    @Sendable func ask() -> ScriptedStep {
      made.add(ScriptedStep { _, context in try await context.ask(Form(text: "")) })
    }
    let flow = launch(
      Flow {
        Step("a") { ask() }
        Step("b") { ask() }.onBackUp(.settling)
        Step("c") { Asker() }
      }, with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    for _ in 1...2 { try await flow.answer("2") }
    _ = try await flow.coordinator.settled()
    #expect(made.count == 3)
    #expect(made.alive == 0)
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("a step skipped off the stack is freed at once")
  func skipped() async throws {
    let skippers = Skippers()
    let flow = launch(
      Flow {
        Step("a") { skippers.make() }
        Step("b") { Asker() }
      }, with: "")
    _ = try await flow.coordinator.settled()
    #expect(skippers.alive == 0)
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("a context stored by a step retains no step, and all its functions throw")
  func context() async throws {
    let (made, handed) = (Made(), Handover<StepContext>())
    let flow = launch(
      Flow {
        Step("a") {
          made.add(
            ScriptedStep { input, context in
              handed.give(context)
              return input
            })
        }
      }, with: "")
    _ = await flow.result
    let context = try #require(await handed.value())
    #expect(made.alive == 0)
    #expect(await code { try await context.ask(Form(text: "")) } == .notActive)
    #expect(await code { try await context.update(Form(text: "")) } == .notActive)
    #expect(await code { try await context.once("k") { _ in } } == .notActive)
    #expect(await code { try await context.backUp() } == .notActive)
    #expect(await code { try await context.abandon("") } == .notActive)
    #expect(await context.record("k").word == "none")
  }

  @Test("input, output and answers are freed with the run")
  func values() async throws {
    final class Value: Sendable {}
    let coordinator = FlowCoordinator()
    weak var input: Value?
    weak var output: Value?
    do {
      let given = Value()
      input = given
      let made = try await coordinator.run(Flow { Step("a") { (_: Value) in Value() } }, with: given)
      output = made
    }
    #expect(input == nil)
    #expect(output == nil)
  }

  @Test("subscribers' loops end, that of a waiting one and that of a late one", arguments: LeavingBy.allCases)
  func loopsEnd(by: LeavingBy) async throws {
    let made = Made()
    let flow = launch(flow(made), with: "")
    let waiting = Task { await allEvents(of: flow.coordinator) }
    for _ in 1...2 { try await flow.answer("1") }
    _ = try await flow.coordinator.settled()
    switch by {
    case .back: try await flow.answer("finish")
    case .abandon: try await flow.coordinator.abandon()
    case .failure: try await flow.answer("fail")
    case .cancelledCaller: flow.run.cancel()
    }
    _ = await flow.result
    let first = await waiting.value
    let late = await allEvents(of: flow.coordinator)
    #expect(first.map(\.change.line) == late.map(\.change.line))
  }

  @Test("every task that waits for the flow continues when it ends")
  func waitersGoOn() async throws {
    let flow = launch(Flow { Step("a") { () throws -> Asker in throw Refused() } }, with: "")
    let position = try await flow.coordinator.settled()
    #expect(position.status == .ended(.failed))
    _ = await flow.result
  }

  @Test("a coordinator that is released without a run ends its streams")
  func dropped() async {
    var coordinator: FlowCoordinator? = FlowCoordinator()
    let events = coordinator?.events
    let reading = Task {
      guard let events else { return 0 }
      return await events.reduce(0) { count, _ in count + 1 }
    }
    coordinator = nil
    #expect(await reading.value == 0)
  }
}

private struct WeakSkipper: Sendable { weak var step: Skipper? }

private final class Skippers: Sendable {
  private let made = Lock<[WeakSkipper]>([])
  func make() -> Skipper {
    let step = Skipper(with: "skipped")
    made.withLock { $0.append(WeakSkipper(step: step)) }
    return step
  }
  var alive: Int { made.withLock { $0.filter { $0.step != nil }.count } }
}
