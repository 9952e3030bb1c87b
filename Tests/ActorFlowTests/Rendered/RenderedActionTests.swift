import ActorFlow
import Testing

@Suite("Rendered steps, rules 0 and 1: actions") struct RenderedActionTests {
  @Test("a rendering's question stays open and takes many answers, each followed by the next rendering")
  func manyAnswers() async throws {
    let flow = launch(.board(), with: "")
    let question = try #require(try await flow.coordinator.settled().questions.first)
    try await flow.coordinator.answer(question.id, with: BoardAction.add("a"))
    #expect(await flow.board?.line == "a")
    try await flow.coordinator.answer(question.id, with: BoardAction.add("b"))
    #expect(await flow.board?.line == "ab")
    let open = await flow.coordinator.position.questions
    #expect(open.map(\.id) == [question.id])
    #expect(open.map(\.revision) == [3])
    try await flow.act(.out("done"))
    #expect(try await flow.result.get() == "done")
    #expect(
      await flow.lines == [
        "launched", "moved -→board", "asked board", "updated board 2", "updated board 3", "withdrawn", "finished",
      ])
  }

  @Test("the last rendering is shown before the step ends")
  func lastRendering() async throws {
    let flow = launch(.board(), with: "")
    try await flow.act(.all([.add("bye"), .out("x")]))
    #expect(try await flow.result.get() == "x")
    #expect(await flow.lines.dropFirst(3) == ["updated board 2", "withdrawn", "finished"])
    let shown = await flow.events.compactMap { event in
      if case .updated(let question) = event.change { (question.prompt as? BoardView)?.line } else { nil }
    }
    #expect(shown == ["bye"])
  }

  @Test("an action is checked by authorize and validate; a refused one changes nothing")
  func checked() async throws {
    var script = BoardScript()
    script.role = "clerk"
    script.check = { view, action in if action == .add(view.text) { throw Failure("again") } }
    let flow = launch(.board(script), with: "")
    let id = try #require(try await flow.coordinator.settled().questions.first?.id)
    let clerk = Principal(id: "c", roles: ["clerk"])
    await #expect(throws: Refused()) { try await flow.coordinator.answer(id, with: BoardAction.add("a")) }
    try await flow.coordinator.answer(id, with: BoardAction.add("a"), by: clerk)
    await #expect(throws: Failure("again")) {
      try await flow.coordinator.answer(id, with: BoardAction.add("a"), by: clerk)
    }
    #expect(await flow.board?.line == "a")
    #expect(await flow.coordinator.position.questions.first?.revision == 2)
    try await flow.coordinator.answer(id, with: BoardAction.out(""), by: clerk)
    _ = try await flow.result.get()
  }

  @Test("an answer of another type, or for an older named revision, is refused")
  func wrongAnswers() async throws {
    let flow = launch(.board(), with: "")
    let id = try #require(try await flow.coordinator.settled().questions.first?.id)
    #expect(await code { try await flow.coordinator.answer(id, with: "text") } == .wrongAnswerType)
    try await flow.coordinator.answer(id, with: BoardAction.add("a"), revision: 1)
    #expect(
      await code { try await flow.coordinator.answer(id, with: BoardAction.add("b"), revision: 1) } == .staleRevision)
    try await flow.coordinator.answer(id, with: BoardAction.add("b"), revision: 2)
    #expect(await flow.board?.line == "ab")
    try await flow.act(.out(""))
    _ = await flow.result
  }

  @Test("an action that was validated for an older rendering is validated again")
  func validatedAgain() async throws {
    let (gate, seen) = (Checkpoint(), Trace())
    var script = BoardScript()
    script.check = { view, action in
      guard action == .add("slow") else { return }
      seen.add(view.text)
      if view.text.isEmpty { await gate.pass() }
    }
    let flow = launch(.board(script), with: "")
    let id = try #require(try await flow.coordinator.settled().questions.first?.id)
    async let slow: Void = flow.coordinator.answer(id, with: BoardAction.add("slow"))
    await gate.reached()
    try await flow.coordinator.answer(id, with: BoardAction.add("a"))
    gate.open()
    try await slow
    #expect(seen.all == ["", "a"])
    #expect(await flow.board?.line == "aslow")
    try await flow.act(.out(""))
    _ = await flow.result
  }

  @Test("an answer being validated when the flow returns to the step is not applied to the next visit's question")
  func validatedTooLong() async throws {
    let gate = Checkpoint()
    var script = BoardScript()
    script.check = { _, action in if action == .add("slow") { await gate.pass() } }
    let flow = launch(
      Flow {
        Flow<String, String>.board(script)
        Step("after") { Asker() }
      }, with: "")
    let id = try #require(try await flow.coordinator.settled().questions.first?.id)
    let slow = Task { try await flow.coordinator.answer(id, with: BoardAction.add("slow")) }
    await gate.reached()
    try await flow.act(.out("x"))
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    _ = try await flow.coordinator.settled()
    gate.open()
    #expect((await error(of: slow) as? FlowError)?.code == .questionClosed)
    #expect(await flow.board?.line == "")
    try await flow.coordinator.abandon()
    _ = await flow.result
  }

  @Test("actions of many tasks are applied one at a time, and none is lost")
  func manyTasks() async throws {
    let flow = launch(.board(), with: "")
    let id = try #require(try await flow.coordinator.settled().questions.first?.id)
    let sink = try #require(await flow.board?.sink)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          for _ in 0..<10 {
            if number.isMultiple(of: 2) {
              try await flow.coordinator.answer(id, with: BoardAction.add("x"))
            } else {
              #expect(await sink(.add("y")))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(await flow.board?.text.count == 400)
    #expect(await flow.coordinator.position.questions.first?.revision == 401)
    try await flow.act(.out(""))
    _ = await flow.result
  }

  @Test("an action whose output is mapped up to the root is one rendering")
  func mapped() async throws {
    let flow = launch(.board(), with: "")
    try await flow.act(.open("c"))
    let child = try #require(await flow.board?.children.first)
    #expect(await child.sink(.open("d")))
    let leaf = try #require(await flow.board?.children.first?.children.first)
    #expect(await leaf.sink(.out("x")))
    #expect(await flow.board?.line == "(d:x())")
    #expect(await flow.coordinator.position.questions.first?.revision == 4)
    try await flow.act(.out(""))
    _ = await flow.result
  }

  @Test("answers after the output are refused")
  func afterOutput() async throws {
    let flow = launch(
      Flow {
        Step("board") { (name: String) in Board(name: name) }
        Step("next") { Asker() }
      }, with: "")
    let question = try #require(try await flow.coordinator.settled().questions.first)
    let sink = try #require(await flow.board?.sink)
    try await flow.act(.out("x"))
    #expect(
      await code { try await flow.coordinator.answer(question.id, with: BoardAction.nothing) } == .questionClosed)
    #expect(await !sink(.add("late")))
    try await flow.answer("!")
    #expect(try await flow.result.get() == "x!")
    #expect(await code { try await flow.coordinator.answer(question.id, with: BoardAction.nothing) } == .flowEnded)
  }

  @Test("rule 5: an equal state publishes nothing, and the answer is accepted")
  func unchanged() async throws {
    let flow = launch(.board(), with: "")
    try await flow.act(.nothing, .add(""), .nothing)
    #expect(await flow.coordinator.position.questions.first?.revision == 1)
    try await flow.act(.out("x"))
    #expect(await flow.lines == ["launched", "moved -→board", "asked board", "withdrawn", "finished"])
  }

  /// A state that cannot be compared.
  private struct Opaque: RenderedStep {
    struct State: Sendable { var text = "" }
    func makeState() -> State { State() }
    func apply(_ action: String, to state: inout State) -> String? { action.isEmpty ? nil : action }
    func render(_ state: State, in scope: inout RenderScope<Opaque>) -> OpaqueView { OpaqueView() }
  }

  private struct OpaqueView: Prompt { typealias Answer = String }

  @Test("rule 5: a state that cannot be compared is rendered after each action")
  func notComparable() async throws {
    let flow = launch(Flow { Step("opaque") { (_: String) in Opaque() } }, with: "")
    let id = try #require(try await flow.coordinator.settled().questions.first?.id)
    try await flow.coordinator.answer(id, with: "")
    #expect(await flow.coordinator.position.questions.first?.revision == 2)
    try await flow.coordinator.answer(id, with: "end")
    #expect(try await flow.result.get() == "end")
    #expect(
      await flow.lines.dropFirst(3) == ["updated opaque 2", "updated opaque 3", "withdrawn", "finished"])
  }

  @Test("a back from the next step returns to the board")
  func isReturnedTo() async throws {
    let flow = launch(
      Flow {
        Step("board") { (name: String) in Board(name: name) }
        Step("next") { Asker() }
      }, with: "")
    try await flow.act(.out("x"))
    _ = try await flow.coordinator.settled()
    #expect(await flow.coordinator.position.canBackUp)
    try await flow.coordinator.backUp()
    try await flow.act(.out("y"))
    try await flow.answer("!")
    #expect(try await flow.result.get() == "y!")
  }
}
