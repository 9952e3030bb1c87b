import ActorFlow
import Testing

/// The features of workflow-swift's test library, and its debugger's snapshots.
@Suite struct RenderPassScenarios {
  private func pass(_ state: BoardState) throws -> RenderPass<Board> { try Board(name: "b").renderPass(state) }

  @Test("WS-076 a pass lists types, states and children in the order of the requests")
  func listed() throws {
    let pass = try pass(BoardState(text: "x", children: ["d", "c"]))
    #expect(pass.state.text == "x")
    #expect(pass.children.map { "\($0.type) \($0.key)" } == ["Board d", "Board c"])
    #expect(try pass.child(Board.self, key: "c").pass.state == BoardState())
  }

  @Test("WS-078 a pass gives the rendering, and no action")
  func rendering() async throws {
    let pass = try pass(BoardState(text: "x"))
    #expect(pass.rendering.line == "x")
    #expect(await !pass.rendering.sink(.add("y")))
  }

  @Test("WS-079 the effect of an action on a state is a function's result")
  func apply() {
    var state = BoardState()
    #expect(Board().apply(.add("x"), to: &state) == nil)
    #expect(state.text == "x")
    #expect(Board().apply(.out("y"), to: &state) == "y")
  }

  @Test("WS-080 a child that is not rendered is an error that names type and key")
  func missing() throws {
    let pass = try pass(BoardState())
    let error = #expect(throws: FlowError.self) { try pass.child(Board.self, key: "c") }
    #expect(error?.message == "Board renders no child of type Board with the key \"c\"; it renders none")
  }

  private struct Other: RenderedStep {
    func apply(_ action: Int, to state: inout Void) -> Int? { nil }
    func render(_ state: Void, in scope: inout RenderScope<Other>) -> Choice { Choice() }
  }

  @Test("WS-081 a child of another key or type is named in the error")
  func nearMiss() throws {
    let pass = try pass(BoardState(children: ["c", "d"]))
    let error = #expect(throws: FlowError.self) { try pass.child(Board.self, key: 3) }
    #expect(error?.message.hasSuffix("with the key 3; it renders Board \"c\", Board \"d\"") == true)
    #expect(throws: FlowError.self) { try pass.child(Other.self, key: "c") }
  }

  @Test("WS-082 one type and key rendered twice is an error")
  func twice() {
    let error = #expect(throws: FlowError.self) { try pass(BoardState(children: ["c", "c"])) }
    #expect(error?.code == .duplicateKey)
    #expect(error?.message.contains("give each child a key of its own") == true)
  }

  @Test("WS-083 the action to which a child's output is mapped can be read")
  func mapped() throws {
    let child = try pass(BoardState(children: ["c"])).child(Board.self, key: "c")
    #expect(child.action(for: "x") == .add("c:x"))
    #expect(child.pass.step.name == "bc.")
  }

  @Test("WS-084 the requested effects are a list that can be compared")
  func effects() throws {
    #expect(try pass(BoardState(effects: ["b", "a"])).effects == ["b", "a"])
    #expect(try pass(BoardState()).effects.isEmpty)
  }
}
