import ActorFlow
import Testing

@Suite("Descriptions of values") struct DescriptionTests {
  @Test("events, questions and positions are described on one line, without a prompt's content")
  func lines() async throws {
    let flow = Flow("f") {
      Step("a") { Asker() }
      Step("b") { Asker() }
    }
    let coordinator = FlowCoordinator(id: "order/17")
    var positions: [String] = []
    _ = try await running(flow, with: "secret", on: coordinator) { coordinator in
      positions.append("\(try await coordinator.settled())")
      try await coordinator.answer(Form.self, with: "1", by: Principal(id: "ann"))
      try await coordinator.settled()
      try await coordinator.backUp()
      try await coordinator.settled()
      try await coordinator.abandon(reason: "enough")
    }
    #expect(positions == ["running at [f/a], asking [order/17/1/1 at f/a: Form, revision 1]"])
    #expect(
      await allEvents(of: coordinator).filter { if case .asked = $0.change { $0.sequence == 3 } else { true } }
        .map(\.description) == [
          "order/17/1 #1: launched",
          "order/17/1 #2: moved to f/a",
          "order/17/1 #3: asked order/17/1/1 at f/a: Form, revision 1",
          "order/17/1 #4: answered order/17/1/1 by ann",
          "order/17/1 #5: moved f/a → f/b",
          "order/17/1 #7: leaving f/b: back",
          "order/17/1 #8: backed up f/b → f/a",
          "order/17/1 #10: leaving f/a: abandoned: enough",
          "order/17/1 #11: abandoned: enough",
          "order/17/1 #12: rolled back",
        ])
  }

  @Test("a question's id is read back from its text, whatever the flow's name")
  func questionID() throws {
    let id = try #require(Question.ID("order/17/2/5"))
    #expect(id.flow == "order/17")
    #expect(id.run == 2)
    #expect(id.number == 5)
    #expect(Question.ID(id.description) == id)
    #expect(Question.ID("order-17") == nil)
    #expect(Question.ID("order/x/1") == nil)
  }
}
