import ActorFlow
import Testing

@Suite("Diagrams of a position") struct DiagramMarkingTests {
  /// The classes of a Mermaid diagram, such as `class n1,n2 visited`.
  private func classes(_ diagram: String) -> [String] {
    diagram.split(separator: "\n").filter { $0.hasPrefix("  class ") }.map { String($0.dropFirst(8)) }
  }

  private func stack(_ steps: [StepID]) -> StepStack {
    var top: VisitNode?
    for (number, step) in steps.enumerated() {
      let info = StepInfo(id: step)
      top = VisitNode(id: VisitID(number), info: info, below: top, isSkipped: false, canBackUp: false)
    }
    return StepStack(top)
  }

  private func branch(_ path: StepID, _ steps: [StepID], ended: Bool = false, _ branches: [Branch] = []) -> Branch {
    Branch(
      TrackView(path: path, stack: stack(steps), hasEnded: ended, branches: SharedList(branches.map(\.view))))
  }

  private func position(
    _ steps: [StepID], asking: [StepID] = [], awaiting: [StepID] = [], _ status: Status = .running,
    branches: [Branch] = []
  ) -> Position {
    let questions = asking.enumerated().map { number, step in
      let id = Question.ID(flow: FlowID("f"), run: 1, number: number)
      return Question(id: id, step: step, visit: VisitID(number), prompt: Form(text: "?"), revision: 1)
    }
    let waits = awaiting.enumerated().map { number, step in
      Wait(signal: "paid", step: step, visit: VisitID(number), number: number)
    }
    guard branches.isEmpty else {
      return Position(
        TrackView(
          stack: stack(steps), question: questions.first, waits: waits, branches: SharedList(branches.map(\.view))),
        status: status)
    }
    return Position(stack: stack(steps), questions: questions, status: status, canBackUp: false, waits: waits)
  }

  @Test("a running flow: visited steps, the current step, and steps that wait for an answer")
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

  @Test("the steps of an element's branch are marked under every number")
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

  @Test("every open branch has its current step, also a nested one; an ended branch has none")
  func branches() {
    let inner = Raw.fork("race", [Raw.step("c"), Raw.step("d")])
    let flow = Raw.fork(
      "parallel",
      [
        Flow {
          Raw.step("a"); Raw.step("b")
        }, Raw.step("e"), inner,
      ])
    let open = [
      branch("parallel/0", ["parallel/0/a", "parallel/0/b"]), branch("parallel/e", ["parallel/e"], ended: true),
      branch("parallel/2", ["parallel/2/race"], [branch("parallel/2/race/c", ["parallel/2/race/c"])]),
    ]
    let marked = flow.diagram(
      .mermaid, of: position(["parallel"], asking: ["parallel/0/b"], awaiting: ["parallel/0/b"], branches: open))
    #expect(flow.steps.map(\.path).contains("parallel/2/race/c"))
    #expect(classes(marked) == ["n1,n5,n8,n9 bar", "n0,n2,n4 visited", "n1,n3,n5,n6 current", "n3 waiting"])
    #expect(marked.contains(#"n3("b<br/>waiting for an answer<br/>waiting for paid")"#))
  }

  @Test("nothing is marked before a run, nor for the position of another flow")
  func nothing() {
    let flow = Raw.step("a")
    #expect(classes(flow.diagram(.mermaid, of: position([], .idle))) == [])
    #expect(classes(flow.diagram(.mermaid, of: position(["b"]))) == ["n0 visited"])
  }
}
