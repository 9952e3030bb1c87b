import ActorFlow
import Testing

@Suite("Rendered steps, rules 3 and 6: refusals and leaving") struct RenderedLeavingTests {
  private func flow(_ script: BoardScript) -> Flow<String, String> {
    Flow {
      Step("first") { Asker() }
      Step("board") { (name: String) in Board(name: name, script: script) }
      Step("next") { Asker() }
    }
  }

  @Test("rule 3: an action from an ended effect is refused, even if the effect retains its sink")
  func endedEffect() async throws {
    let held = Handover<Sink<BoardAction>>()
    let script = BoardScript { _, sink in held.give(sink) }
    let flow = launch(.board(script), with: "")
    try await flow.act(.run("a"))
    let sink = try #require(await held.value())
    // The effect may not have ended yet; but it has when its key was given up.
    try await flow.act(.stop("a"))
    #expect(await !sink(.add("late")))
    #expect(await flow.board?.line == "")
    try await flow.act(.out("x"))
    _ = await flow.result
  }

  @Test("rule 3: an action to a removed child is refused, and does not reach its successor")
  func removedChild() async throws {
    let flow = launch(.board(), with: "")
    try await flow.act(.open("c"))
    let old = try #require(await flow.board?.children.first?.sink)
    #expect(await old(.add("1")))
    try await flow.act(.close("c"))
    #expect(await !old(.add("2")))
    try await flow.act(.open("c"))
    #expect(await !old(.add("3")))
    #expect(await flow.board?.line == "()")
    try await flow.act(.out("x"))
    _ = await flow.result
  }

  @Test("rule 3: a sink of an earlier visit is refused, one of an earlier rendering is not")
  func earlierVisit() async throws {
    let flow = launch(flow(BoardScript()), with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    let old = try #require(await flow.board?.sink)
    try await flow.act(.add("a"))
    #expect(await old(.add("b")))
    try await flow.act(.out("x"))
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    _ = try await flow.coordinator.settled()
    #expect(await !old(.add("c")))
    let new = try #require(await flow.board?.sink)
    #expect(await new(.add("d")))
    #expect(await flow.board?.line == "abd")
    try await flow.coordinator.abandon()
    #expect(await !new(.add("e")))
    _ = await flow.result
  }

  @Test("a step that a back lands on keeps its state and its children's; its effects start again")
  func returnedTo() async throws {
    let (trace, started) = (Trace(), Checkpoint())
    var script = BoardScript(trace) { key, _ in
      trace.add("start \(key)")
      started.mark()
      await untilCancelled()
      trace.add("end \(key)")
    }
    script.tracesInput = true
    let flow = launch(flow(script), with: "")
    try await flow.answer("1")
    try await flow.act(.add("cart"), .open("c"), .run("a"))
    _ = try #require(await flow.board?.children.first).sink
    #expect(await flow.board?.children.first?.sink(.add("child")) == true)
    await started.reached()
    try await flow.act(.out("x"))
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    _ = try await flow.coordinator.settled()
    #expect(await flow.board?.line == "cart(child)")
    await started.reached(2)
    try await flow.act(.out("y"))
    try await flow.answer("!")
    #expect(try await flow.result.get() == "y!")
    #expect(trace.all.filter { !$0.hasPrefix("input") } == ["start 1a", "end 1a", "start 1a", "end 1a"])
  }

  @Test("a step that a back passes over starts with a new state when it is reached again")
  func backedUpOver() async throws {
    let flow = launch(flow(BoardScript()), with: "")
    try await flow.answer("1")
    try await flow.act(.add("old"))
    try await flow.coordinator.backUp()
    try await flow.answer("2")
    _ = try await flow.coordinator.settled()
    #expect(await flow.board?.line == "")
    try await flow.act(.out("x"))
    try await flow.answer("!")
    #expect(try await flow.result.get() == "x!")
  }

  @Test(
    "rule 6: when the step is left, every effect of the tree has ended before the flow moves on",
    arguments: ["output", "back", "abandon", "cancel", "throw"])
  func effectsEnd(_ verb: String) async throws {
    let (trace, started, gate) = (Trace(), Checkpoint(), Checkpoint())
    let script = BoardScript(trace) { key, _ in
      started.mark()
      if key == "1thrower" {
        await gate.pass()
        throw Failure("thrown")
      }
      await untilCancelled()
      trace.add("end \(key)")
    }
    let undo = Flow {
      Step.scripted("first", backUp: { _ in trace.add("undo") }) { _, context in
        trace.add("first")
        return try await context.ask(Form(text: ""))
      }
      Step("board") { (name: String) in Board(name: name, script: script) }
      Step("next") { (input: String) in
        trace.add("next")
        return input
      }
    }
    let flow = launch(undo, with: "")
    try await flow.answer("1")
    try await flow.act(.all([.run("a"), .run(verb == "throw" ? "thrower" : "t"), .open("c")]))
    let child = try #require(await flow.board?.children.first?.sink)
    #expect(await child(.run("b")))
    await started.reached(3)
    switch verb {
    case "output": try await flow.act(.out("x"))
    case "back": try await flow.coordinator.backUp()
    case "abandon": try await flow.coordinator.abandon()
    case "cancel": flow.run.cancel()
    default: break
    }
    gate.open()
    if verb == "back" {
      _ = try await flow.coordinator.settled()
      flow.run.cancel()
    }
    _ = await flow.result
    let ends = trace.all.filter { $0.hasPrefix("end") }
    #expect(Set(ends) == (verb == "throw" ? ["end 1a", "end 1c.b"] : ["end 1a", "end 1t", "end 1c.b"]))
    let after = ["output": ["next"], "back": ["undo", "first", "undo"]]
    #expect(trace.all == ["first"] + ends + (after[verb] ?? ["undo"]))
  }

  @Test("an action during the leave is refused")
  func whileLeaving() async throws {
    let (started, gate) = (Checkpoint(), Checkpoint())
    let script = BoardScript { _, _ in
      started.mark()
      await gate.pass()
    }
    let flow = launch(flow(script), with: "")
    try await flow.answer("1")
    try await flow.act(.run("a"))
    await started.reached()
    let position = await flow.coordinator.position
    let sink = try #require(await flow.board?.sink)
    let id = try #require(position.questions.first?.id)
    let back = await flow.filing { try await $0.backUp() }
    #expect(await !sink(.add("x")))
    #expect(await code { try await flow.coordinator.answer(id, with: BoardAction.add("x")) } == .questionClosed)
    gate.open()
    try await back.value
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("in a loop each round begins with a new state")
  func loops() async throws {
    let flow = launch(
      Flow {
        Loop {
          Step("board") { (name: String) in Board(name: name) }
          Step("more") { (text: String) -> Again<String, String> in text == "stop" ? .done(text) : .again(text) }
        }
      }, with: "")
    try await flow.act(.add("1"), .out("again"))
    _ = try await flow.coordinator.settled()
    #expect(await flow.board?.line == "")
    try await flow.act(.out("stop"))
    #expect(try await flow.result.get() == "stop")
  }

  private struct TokenHolder: RenderedStep {
    let token: Token
    func apply(_ text: String, to state: inout Void) -> String? { text }
    func render(_ state: Void, in scope: inout RenderScope<TokenHolder>) -> TokenHolderView {
      scope.run("a") { [token] _ in
        await untilCancelled()
        _ = token
      }
      return TokenHolderView(sink: scope.sink)
    }
  }

  private struct TokenHolderView: Prompt {
    typealias Answer = String
    let sink: Sink<String>
  }

  private final class Token: Sendable {
    let trace: Trace
    init(_ trace: Trace) { self.trace = trace }
    deinit { trace.add("gone") }
  }

  @Test("positions and events with a rendering retain neither its step nor its effects")
  func memory() async throws {
    let trace = Trace()
    let flow = launch(Flow { Step("keeper") { (_: String) in TokenHolder(token: Token(trace)) } }, with: "")
    let position = try await flow.coordinator.settled()
    let view = try #require(position.questions.first?.prompt as? TokenHolderView)
    #expect(trace.all == [])
    #expect(await view.sink("x"))
    #expect(try await flow.result.get() == "x")
    #expect(trace.all == ["gone"])
    #expect(await !view.sink("y"))
    #expect(position.questions.count == 1)
  }
}
