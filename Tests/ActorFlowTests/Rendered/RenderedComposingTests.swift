import ActorFlow
import ActorFlowTesting
import Testing

/// Rendered steps inside other components.
@Suite("Rendered steps: composing and presenting") struct RenderedComposingTests {
  @Test("a responder without special support answers a rendered step")
  func responder() async throws {
    let robot = Responder {
      On(BoardView.self) { view in view.text.count < 3 ? .add("x") : .out(view.text) }
    }
    let result = try await FlowCoordinator().run(Flow<String, String>.board(), with: "", presentedBy: [robot])
    #expect(result == "xxx")
  }

  @Test("in a fork each branch shows its own rendering, and each answer goes to its own")
  func fork() async throws {
    let flow = launch(
      Flow {
        Parallel {
          Step("left") { (name: String) in Board(name: name) }
          Step("right") { (name: String) in Board(name: name) }
        } join: { left, right in
          "\(left)|\(right)"
        }
      }, with: "")
    let questions = try await flow.coordinator.settled().questions
    #expect(Set(questions.map(\.step.name)) == ["left", "right"])
    for question in questions {
      try await flow.coordinator.answer(question.id, with: BoardAction.add(question.step.name))
    }
    let lines = await flow.coordinator.position.questions.map {
      "\($0.step.name) \(($0.prompt as? BoardView)?.line ?? "")"
    }
    #expect(Set(lines) == ["left left", "right right"])
    for question in questions {
      try await flow.coordinator.answer(question.id, with: BoardAction.out(question.step.name))
    }
    #expect(try await flow.result.get() == "left|right")
  }

  @Test("a failing branch leaves the rendering of its sibling, whose effects end")
  func siblings() async throws {
    let (trace, started) = (Trace(), Checkpoint())
    let script = BoardScript(trace, first: BoardState(effects: ["a"])) { key, _ in
      started.mark()
      await untilCancelled()
      trace.add("end \(key)")
    }
    let flow = launch(
      Flow {
        Parallel {
          Step("board") { (name: String) in Board(name: name, script: script) }
          Step.scripted("failing") { _, context in
            _ = try await context.ask(Form(text: ""))
            throw Failure("sibling")
          }
        } join: { left, right in
          "\(left)|\(right)"
        }
      }, with: "")
    await started.reached()
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.answer(Form.self, with: "!")
    #expect(await flow.error as? Failure == Failure("sibling"))
    #expect(trace.all == ["end a"])
  }

  @Test("a rendered step as a hub's menu continues in its visit, with its state and the new input")
  func hub() async throws {
    let trace = Trace()
    var script = BoardScript(trace)
    script.tracesInput = true
    let flow = launch(
      Hub(Step("menu") { [script] (name: String) in Board(name: name, script: script) }) {
        Case("more", where: { (text: String) in text == "more" }) { Asker.step("side") }
      } done: { text in
        text == "more" ? nil : text
      }.flow, with: "")
    try await flow.act(.add("cart"), .out("more"))
    try await flow.answer("!")
    _ = try await flow.coordinator.settled()
    #expect(await flow.board?.line == "cart")
    #expect(trace.all == ["input →more!"])
    try await flow.act(.out("done"))
    #expect(try await flow.result.get() == "done")
  }

  @Test(
    "another attempt at the step alone keeps its state, one at several steps starts with a new state",
    arguments: [true, false])
  func retry(_ isAlone: Bool) async throws {
    let (count, gate, again) = (Count(), Checkpoint(), Checkpoint())
    let script = BoardScript(first: BoardState(effects: ["a"])) { _, _ in
      if count.next() == 1 {
        await gate.pass()
        throw Failure("first")
      }
      again.mark()
      await untilCancelled()
    }
    let flow = launch(
      Flow {
        if !isAlone { Step("before") { (name: String) in name } }
        Step("board") { (name: String) in Board(name: name, script: script) }
      }.retry(2), with: "")
    try await flow.act(.add("x"))
    gate.open()
    await again.reached()
    #expect(await flow.board?.line == (isAlone ? "x" : ""))
    try await flow.act(.out("second"))
    #expect(try await flow.result.get() == "second")
  }

  private struct Endless: RenderedStep {
    func makeState() -> Int { 0 }
    func apply(_ action: Int, to sum: inout Int) -> Never? {
      sum += action
      return nil
    }
    func render(_ sum: Int, in scope: inout RenderScope<Endless>) -> Choice { Choice() }
  }

  @Test("a step without an output can only be left")
  func endless() async throws {
    let flow = launch(Flow { Step("endless") { (_: String) in Endless() } }, with: "")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.answer(Choice.self, with: 1)
    #expect(await flow.coordinator.position.questions.first?.revision == 2)
    try await flow.coordinator.abandon()
    #expect(await flow.code == .abandoned)
  }

  @Test("a step without input can create its state, and the creation may fail")
  func making() async throws {
    let made = launch(Flow { Step("board", rendering: { Board(name: "n") }) }, with: ())
    try await made.act(.out("x"))
    #expect(try await made.result.get() == "x")
    let failing = launch(
      Flow { Step("board") { (name: String) throws -> Board in throw Failure(name) } }, with: "input")
    #expect(await failing.error as? Failure == Failure("input"))
  }

  @Test("an action restarts the idle time; an effect does not")
  func expiry() async throws {
    let clock = ManualClock()
    let coordinator = FlowCoordinator(id: "test", clock: clock, eventLog: 1_000)
    let flow = launch(Flow<String, String>.board().expires(afterIdle: .seconds(10)), with: "", on: coordinator)
    _ = try await coordinator.settled()
    let sink = try #require(await flow.board?.sink)
    clock.advance(by: .seconds(6))
    try await flow.act(.add("x"))
    clock.advance(by: .seconds(6))
    #expect(await sink(.add("y")))
    #expect(await flow.board?.line == "xy")
    clock.advance(by: .seconds(6))
    #expect(await flow.code == .abandoned)
  }
}

extension Asker {
  fileprivate static func step(_ name: String) -> Step<String, String> {
    Step("side") { (text: String, context: StepContext) in text + (try await context.ask(Form(text: text))) }
  }
}
