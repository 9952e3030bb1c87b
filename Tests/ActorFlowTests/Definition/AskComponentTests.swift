import ActorFlowTesting
import Testing

@testable import ActorFlow

@Suite("Ask") struct AskComponentTests {
  private let flow = Flow<String, String>("f") {
    Ask("a") { (text: String) in Form(text: text) }
    Ask("b") { (text: String) in Form(text: text) }.carrying { $0 + $1 }
  }

  @Test("an ask is a step: it asks with its input, and its answer is its output")
  func asks() async throws {
    let result = try await running(flow, with: "?") { coordinator in
      #expect(try await coordinator.settled().questions.map { ($0.prompt as? Form)?.text } == ["?"])
      try await coordinator.answer(Form.self, with: "1")
      let position = try await coordinator.settled()
      #expect(position.questions.map { ($0.prompt as? Form)?.text } == ["1"])
      #expect(position.stack.map(\.step) == ["f/b", "f/a"])
      try await coordinator.answer(Form.self, with: "2")
    }
    #expect(try result.get() == "12")
  }

  @Test("a back lands on the ask before, which asks again with its input")
  func back() async throws {
    let result = try await running(flow, with: "?") { coordinator in
      _ = try await coordinator.settled()
      try await coordinator.answer(Form.self, with: "1")
      _ = try await coordinator.settled()
      try await coordinator.backUp()
      let position = try await coordinator.settled()
      #expect(position.questions.map(\.step) == ["f/a"])
      #expect(position.questions.map { ($0.prompt as? Form)?.text } == ["?"])
      try await coordinator.answer(Form.self, with: "3")
      _ = try await coordinator.settled()
      try await coordinator.answer(Form.self, with: "4")
    }
    #expect(try result.get() == "34")
  }

  @Test("it is drawn and named like a step, also without a name")
  func drawn() {
    let named = Flow<String, String>("f") {
      Ask("a") { (text: String) in Form(text: text) }.named("b")
      Ask("") { (text: String) in Form(text: text) }
    }
    #expect(named.graph.nodes.map(\.info.id) == ["f/b", "f/ask"])
    #expect(named.diagram(.mermaid).contains("ask"))
  }
}
