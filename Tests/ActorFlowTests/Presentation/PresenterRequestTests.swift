import ActorFlow
import Testing

@Suite("Presenters: their requests") struct PresenterRequestTests {
  @Test("a presenter may abandon the flow and wait for it; the remaining events are presented, then run throws")
  func abandons() async throws {
    let (terminal, trace) = (Terminal(), Trace())
    let impatient = Shows { event, coordinator in
      if case .asked = event.change { try await coordinator.abandon(reason: "enough") }
      return false
    }
    let result = try await running(asking("a", trace: trace), with: "", presentedBy: [impatient, terminal])
    #expect(code(of: result) == .abandoned)
    #expect(trace.all == ["a:proceed()", "a:backUp"])
    #expect(
      terminal.lines.all == [
        "launched", "moved -→a", "asked a", "leaving a abandoned", "abandoned enough", "rolledBack 0",
      ])
  }

  @Test("a presenter may back up and wait for the landing")
  func backsUp() async throws {
    let terminal = Terminal()
    let answers = Lock(["1", "2", "3"])
    let indecisive = Shows { event, coordinator in
      guard case .asked(let question) = event.change else { return false }
      let isFirstVisit = answers.withLock { $0.count == 2 }
      if question.step.name == "b", isFirstVisit {
        try await coordinator.backUp()
        #expect(await coordinator.position.step == "a")
      } else {
        try await coordinator.answer(question.id, with: answers.withLock { $0.removeFirst() })
      }
      return false
    }
    let result = try await running(asking("a", "b"), with: "", presentedBy: [indecisive, terminal])
    #expect(try result.get() == "23")
    #expect(terminal.lines.all.filter { $0.hasPrefix("backedUp") } == ["backedUp b→a 0"])
  }

  @Test("a presenter in a step of another flow may move the flow that it presents, but not the outer one")
  func inAnotherFlow() async throws {
    let outer = FlowCoordinator()
    let refusals = Collected<FlowError.Code?>()
    let flow = Flow {
      Step("outer") { (text: String) async throws -> String in
        let impatient = Shows { event, inner in
          guard case .asked = event.change else { return false }
          refusals.append(await code { try await outer.abandon() })
          try await inner.abandon(reason: "inner")
          return true
        }
        let inner = try await running(asking("a"), with: text, presentedBy: [impatient])
        return code(of: inner)?.description ?? "-"
      }
    }
    #expect(try await outer.run(flow, with: "") == "abandoned")
    #expect(refusals.all == [.insideFlow])
  }

  @Test("SC-090 a stream of events from outside abandons a presented flow; the last events are still shown")
  func externalEvents() async throws {
    let (logouts, logout) = AsyncStream<String>.makeStream()
    let terminal = Terminal()
    let result = try await running(asking("a", "b"), with: "", presentedBy: [terminal]) { coordinator in
      async let session: Void = {
        for await reason in logouts { try await coordinator.abandon(reason: reason) }
      }()
      try await coordinator.answerNext("1")
      #expect(try await coordinator.focus() == "b")
      logout.yield("logged out")
      logout.finish()
      try await session
    }
    #expect(code(of: result) == .abandoned)
    #expect(terminal.lines.all.suffix(3) == ["leaving b abandoned", "abandoned logged out", "rolledBack 0"])
  }
}
