import ActorFlow
import Testing

@Suite("Runs that start over earlier steps") struct EarlierStepTests {
  private let trace = Trace()
  private var flow: Flow<String, String> {
    Flow {
      for name in ["a", "b", "c", "d"] { Step(name) { Asker(trace) } }
    }
  }

  private func run(
    _ flow: Flow<String, String>, _ earlier: [EarlierStep], _ body: (FlowCoordinator) async throws -> Void
  ) async throws -> Result<String, any Error> {
    try await running(body) {
      try await $0.run(flow, with: "-", startingAt: "c", input: "c in", after: earlier)
    }
  }

  @Test("TC-07 the stack is the one given, and only the step on top has run")
  func stack() async throws {
    let earlier = [EarlierStep("a", input: "a in"), EarlierStep("b", input: "b in")]
    _ = try await run(flow, earlier) { coordinator in
      let position = try await coordinator.settled()
      #expect(position.stack.map(\.step.path) == ["c", "b", "a"])
      #expect(position.stack.map(\.isSkipped) == [false, true, true])
      #expect(position.canBackUp)
      #expect(trace.all == ["c:proceed(c in)"])
      try await coordinator.abandon()
    }
    #expect(trace.all == ["c:proceed(c in)", "c:backUp"], "the others have done nothing in this run")
  }

  @Test("a back leads to the nearest one, calls it with its input, and then owes its backUp")
  func back() async throws {
    let earlier = [EarlierStep("a", input: "a in"), EarlierStep("b", input: "b in")]
    let result = try await run(flow, earlier) { coordinator in
      try await coordinator.settled()
      try await coordinator.backUp()
      #expect(await coordinator.position.stack.map(\.step.path) == ["b", "a"])
      for _ in 0..<3 {
        try await coordinator.settled()
        try await coordinator.answer(Form.self, with: "!")
      }
    }
    #expect(try result.get() == "b in!!!")
    #expect(trace.all.prefix(3) == ["c:proceed(c in)", "c:backUp", "b:proceed(b in)"])
  }

  @Test("a back by name reaches the oldest; policies forbid as ever; the events fold")
  func policies() async throws {
    let guarded = Flow {
      Step("a") { Asker(trace) }
      Step("b") { Asker(trace) }.onBackUp(.passThrough)
      Step("c") { Asker(trace) }
    }
    let earlier = [EarlierStep("a", input: "a in"), EarlierStep("b", input: "b in")]
    let coordinator = FlowCoordinator()
    async let events = allEvents(of: coordinator)
    let run = Task {
      try await coordinator.run(guarded, with: "-", startingAt: "c", input: "c in", after: earlier)
    }
    try await coordinator.settled()
    #expect(await code { try await coordinator.backUp(to: "b") } == .cannotBackUp)
    try await coordinator.backUp()
    #expect(await coordinator.position.step == "a")
    try await coordinator.abandon()
    _ = await run.result
    let first = try #require(await events.first)
    #expect(first.change.line == "launched" && first.position.stack.map(\.step.path) == ["b", "a"])
  }

  @Test("a hub's menu that is an earlier step owes its backUp once a side branch has resumed it")
  func menu() async throws {
    let hub = Flow {
      Step("a") { Asker(trace) }
      Hub(Step("menu") { Asker(trace) }) {
        Case("side", where: { (pick: String) in pick.hasPrefix("side") }) { Step("side") { Asker(trace) } }
      } done: { (pick: String) -> String? in
        pick
      }
    }
    let coordinator = FlowCoordinator()
    let earlier = [EarlierStep("a", input: "A"), EarlierStep("menu", input: "M")]
    let run = Task { try await coordinator.run(hub, with: "-", startingAt: "side", input: "s", after: earlier) }
    try await coordinator.settled()
    try await coordinator.answer(Form.self, with: "!")
    let position = try await coordinator.settled()
    #expect(position.stack.map(\.step.path) == ["menu", "a"] && position.stack.top?.isSkipped == false)
    try await coordinator.backUp()
    #expect(await coordinator.position.step == "a")
    #expect(trace.all.filter { $0.hasSuffix("backUp") } == ["side:backUp", "menu:backUp"])
    try await coordinator.abandon()
    _ = await run.result
  }

  @Test("bad earlier steps are refused before anything runs")
  func refused() async throws {
    let coordinator = FlowCoordinator()
    let start: (StepID, any Sendable) async -> FlowError.Code? = { step, input in
      await code {
        try await coordinator.run(
          flow, with: "-", startingAt: "c", input: "in", after: [EarlierStep(step, input: input)])
      }
    }
    #expect(await start("nowhere", "x") == .noSuchStep)
    #expect(await start("a", 7) == .typeMismatch)
    #expect(trace.all.isEmpty)
  }

  private func code(_ body: () async throws -> some Any) async -> FlowError.Code? {
    do {
      _ = try await body()
      return nil
    } catch { return (error as? FlowError)?.code }
  }
}
