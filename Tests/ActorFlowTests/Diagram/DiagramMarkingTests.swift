import ActorFlow
import Testing

@Suite("Diagrams of a position") struct DiagramMarkingTests {
  /// The classes of a Mermaid diagram, such as `class n1,n2 visited`.
  private func classes(_ diagram: String) -> [String] {
    diagram.split(separator: "\n").filter { $0.hasPrefix("  class ") }.map { String($0.dropFirst(8)) }
  }

  private func position(
    _ steps: [StepID], asking: [StepID] = [], _ status: Status = .running
  ) -> Position {
    var top: VisitNode?
    for (number, step) in steps.enumerated() {
      let info = StepInfo(id: step)
      top = VisitNode(id: VisitID(number), info: info, below: top, isSkipped: false, canBackUp: false)
    }
    let questions = asking.enumerated().map { number, step in
      let id = Question.ID(flow: FlowID("f"), run: 1, number: number)
      return Question(id: id, step: step, visit: VisitID(number), prompt: Form(text: "?"), revision: 1)
    }
    return Position(stack: StepStack(top), questions: questions, status: status, canBackUp: false)
  }

  @Test("a running flow: what was visited, where it stands, and what waits for an answer")
  func running() async throws {
    let flow = Flow("shop") {
      Raw.step("cart")
      Step("pay") { Asker() }
      Raw.step("ship")
    }
    let coordinator = FlowCoordinator()
    _ = try await ActorFlowTests.running(flow, with: "x", on: coordinator) { coordinator in
      let asked = await coordinator.events.first { !$0.position.questions.isEmpty }
      let position = try #require(asked).position
      #expect(classes(flow.diagram(.mermaid, of: position)) == ["n0,n1 visited", "n2 current", "n2 waiting"])
      #expect(flow.diagram(.mermaid, of: position).contains(#"n2("pay<br/>waiting for an answer")"#))
      #expect(
        flow.diagram(.dot, of: position).contains(
          ##"n2 [label="pay\nwaiting for an answer", style="rounded,filled,dashed", fillcolor="#ffd966", penwidth=3];"##
        ))
      try await coordinator.answer(try #require(position.questions.first).id, with: "y")
    }
    let end = await coordinator.position
    #expect(classes(flow.diagram(.mermaid, of: end)) == ["n0,n1,n2,n3 visited", "n4 current"])
  }

  @Test("a step that a loop visits again is current")
  func again() {
    let flow = Raw.loop(
      until: 9,
      Flow {
        Raw.step("a"); Raw.step("b")
      })
    let marked = flow.diagram(.mermaid, of: position(["a", "b", "a"]))
    #expect(classes(marked) == ["n0,n2 visited", "n1 current"])
  }

  @Test("the steps of an element's branch are found under every number")
  func elements() {
    let flow = Raw.each(
      name: "approvals",
      Flow {
        Raw.step("ask"); Raw.step("sign")
      })
    let marked = flow.diagram(
      .mermaid, of: position(["approvals"], asking: ["approvals/0/ask", "approvals/12/sign", "approvals/x/ask"]))
    #expect(classes(marked) == ["n1,n4 bar", "n0 visited", "n1 current", "n2,n3 waiting"])
  }

  @Test("nothing is marked before a run, nor what another flow has")
  func nothing() {
    let flow = Raw.step("a")
    #expect(classes(flow.diagram(.mermaid, of: position([], .idle))) == [])
    #expect(classes(flow.diagram(.mermaid, of: position(["b"]))) == ["n0 visited"])
  }
}
