import ActorFlow
import Testing

@Suite struct FirstFlowTests {
  @Test("a flow asks, backs up, is answered again and finishes, with one numbered event for each transition")
  func firstFlow() async throws {
    let trace = Trace()
    let flow = Flow("first") {
      Step("a") { Asker(trace) }
      Step("b") { Automatic(trace) }
      Step("c") { Asker(trace) }
    }
    let coordinator = FlowCoordinator(id: "x")
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      _ = try await coordinator.settled()
      try await coordinator.answer(Form.self, with: "1")
      _ = try await coordinator.settled()
      try await coordinator.backUp()
      _ = try await coordinator.settled()
      try await coordinator.answer(Form.self, with: "2")
      _ = try await coordinator.settled()
      try await coordinator.answer(Form.self, with: "3")
    }
    #expect(try result.get() == "s2b3")
    #expect(
      trace.all == [
        "a:proceed(s)", "b:proceed(s1)", "c:proceed(s1b)", "c:backUp", "b:backUp", "a:backUp",
        "a:proceed(s)", "b:proceed(s2)", "c:proceed(s2b)",
      ])
    let events = await allEvents(of: coordinator)
    #expect(
      events.map(\.change.line) == [
        "launched", "moved -→a", "asked a", "answered", "moved a→b", "moved b→c", "asked c",
        "leaving c back", "backedUp c→a 0", "asked a", "answered", "moved a→b", "moved b→c", "asked c", "answered",
        "finished",
      ])
    #expect(events.map(\.sequence) == Array(1...events.count))
  }
}
