@testable import ActorFlow
import Testing

/// The guarantees of workflow-swift about renderings and children.
@Suite struct RenderedTreeScenarios {
  @Test("WS-002 the renderings of two children reach their parent in the same pass")
  func twoChildren() throws {
    var driver = try TreeDriver()
    try driver.act(.all([.add("p"), .open("a"), .open("b")]))
    #expect(driver.view.line == "p(,)")
  }

  @Test("WS-004 a child whose input is replaced by an equal one is rendered, and told")
  func equalInput() throws {
    let trace = Trace()
    var script = BoardScript(trace)
    (script.tracesRender, script.tracesInput) = (true, true)
    var driver = try TreeDriver(script)
    try driver.act(.open("a"))
    let before = trace.all.count
    try driver.act(.add("x"))
    #expect(trace.all.dropFirst(before) == ["render x", "input a.→a.", "render a."])
  }

  @Test("WS-006 a child that is rendered in two passes is the same node")
  func sameNode() throws {
    var driver = try TreeDriver()
    try driver.act(.open("a"))
    try driver.send(.add("1"), to: 2)
    try driver.act(.add("x"))
    #expect(driver.view.line == "x(1)")
  }

  @Test("WS-007 a child that is not rendered in a pass is removed after it")
  func gone() throws {
    var driver = try TreeDriver()
    try driver.act(.open("a"), .close("a"))
    #expect(try driver.send(.add("1"), to: 2) == nil)
  }

  @Test("WS-008 a removed child that is rendered again starts from its first state")
  func again() throws {
    var driver = try TreeDriver()
    try driver.act(.open("a"))
    try driver.send(.add("1"), to: 2)
    try driver.act(.close("a"), .open("a"))
    #expect(driver.view.line == "()")
  }

  @Test("WS-009 two children of one type with different keys have states of their own")
  func twoKeys() throws {
    var driver = try TreeDriver()
    try driver.act(.open("a"), .open("b"))
    try driver.send(.add("1"), to: 2)
    try driver.send(.add("2"), to: 3)
    #expect(driver.view.line == "(1,2)")
  }

  private struct Leaf<Kind: Sendable>: RenderedStep {
    typealias Output = Never
    func makeState() -> Int { 0 }
    func apply(_ action: Int, to count: inout Int) -> Never? {
      count += action
      return nil
    }
    func render(_ count: Int, in scope: inout RenderScope<Leaf>) -> LeafView {
      LeafView(text: "\(Kind.self) \(count)", sink: scope.sink)
    }
  }

  private struct LeafView: Prompt {
    typealias Answer = Int
    let text: String
    let sink: Sink<Int>
  }

  private struct PairView: Prompt {
    typealias Answer = Int
    let leaves: [LeafView]
  }

  private struct Pair: RenderedStep {
    var key = 1
    func makeState() -> Int { 0 }
    func apply(_ action: Int, to state: inout Int) -> Int? {
      state += action
      return action == 0 ? state : nil
    }
    func render(_ state: Int, in scope: inout RenderScope<Pair>) -> PairView {
      // An erased step equals the wrapped step: the existential is opened, however often it was wrapped.
      let erased: any RenderedStep<LeafView, Never> = Leaf<Bool>()
      let wrapped: any RenderedStep<LeafView, Never> = erased
      return PairView(leaves: [
        scope.child(Leaf<Int>(), key: key), scope.child(Leaf<String>(), key: key),
        state.isMultiple(of: 2) ? erased.rendered(in: &scope) : wrapped.rendered(in: &scope),
      ])
    }
  }

  @Test("WS-011 two children of different types with the same key both exist")
  func twoTypes() throws {
    let pass = try Pair().renderPass()
    #expect(pass.rendering.leaves.map(\.text) == ["Int 0", "String 0", "Bool 0"])
  }

  @Test("WS-012 under a changed key there is a new child, and actions to the old one do not reach it")
  func changedKey() async throws {
    let flow = launch(.board(), with: "")
    try await flow.act(.open("a"))
    let old = try #require(await flow.board?.children.first?.sink)
    #expect(await old(.add("1")))
    try await flow.act(.all([.close("a"), .open("b")]))
    #expect(await !old(.add("2")))
    #expect(await flow.board?.line == "()")
    try await flow.act(.out("x"))
    _ = await flow.result
  }

  @Test("WS-013 an erased child is identified by the wrapped type")
  func erased() async throws {
    let flow = launch(Flow { Step("pair") { (_: String) in Pair() } }, with: "")
    let question = try #require(try await flow.coordinator.settled().questions.first)
    let view = try #require(question.prompt as? PairView)
    #expect(await view.leaves[2].sink(5))
    try await flow.coordinator.answer(PairView.self, with: 1)  // now the other erased value is rendered
    let next = await flow.coordinator.position.questions.first?.prompt as? PairView
    #expect(next?.leaves[2].text == "Bool 5")
    #expect(try Pair().renderPass().children.map { "\($0.type)" } == ["Leaf<Int>", "Leaf<String>", "Leaf<Bool>"])
    try await flow.coordinator.answer(PairView.self, with: 0)
    #expect(try await flow.result.get() == 1)
  }

  @Test("WS-028 one value used by two flows has two states")
  func twoHosts() async throws {
    let definition = Flow<String, String>.board()
    let (one, two) = (launch(definition, with: ""), launch(definition, with: ""))
    try await one.act(.add("1"))
    try await two.act(.add("2"))
    #expect(await one.board?.line == "1")
    #expect(await two.board?.line == "2")
    for flow in [one, two] {
      try await flow.act(.out("x"))
      _ = await flow.result
    }
  }
}

extension RenderedStep where Output == Never {
  /// Renders an erased step as a child.
  fileprivate func rendered<Parent>(in scope: inout RenderScope<Parent>) -> Rendering {
    scope.child(self, key: "erased")
  }
}
