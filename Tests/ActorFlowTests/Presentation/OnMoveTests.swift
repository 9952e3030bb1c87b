import ActorFlow
import Testing

@Suite("Presenters: forward moves and backs") struct OnMoveTests {
  @Test("SF-27 a presenter registered for forward moves is not asked for a back; the variant for backs is separate")
  func forwardAndBack() async throws {
    let (trace, rest) = (Trace(), Terminal())
    let presenters: [any Presenter] = [
      OnMove(to: "a") { event, _ in trace.add("forward \(event.change.line)") },
      OnBack(to: "a") { event, _ in trace.add("back \(event.change.line)") },
      OnBack(to: "b") { _, _ in trace.add("never") },
      rest,
    ]
    let result = try await running(asking("a", "b"), with: "", presentedBy: presenters) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      _ = try await coordinator.settled()
      try await coordinator.backUp()
      try await coordinator.answerNext("2", at: "a")
      try await coordinator.answerNext("3", at: "b")
    }
    #expect(try result.get() == "23")
    #expect(trace.all == ["forward moved -→a", "back backedUp b→a 0"])
    #expect(rest.lines.all.filter { $0.hasPrefix("moved") } == ["moved a→b", "moved a→b"])
    #expect(!rest.lines.all.contains { $0.hasPrefix("backedUp") })
  }

  @Test("a step that was skipped and stays on the stack is no move for OnMove")
  func skipped() async throws {
    let (trace, rest) = (Trace(), Terminal())
    let flow = Flow {
      Step("a") { Skipper(with: "x") }.onBackUp(.returnableIfSkipped)
      Step("b") { Automatic() }
    }
    let any = OnMove { event, _ in trace.add(event.change.line) }
    #expect(try await FlowCoordinator().run(flow, with: "", presentedBy: [any, rest]) == "xb")
    #expect(trace.all == ["moved a→b"])
    #expect(rest.lines.all == ["launched", "moved -→a", "finished"])
  }
}
