import ActorFlow
import Testing

@Suite("Steps whose type is known only at their creation") struct SomeStepTests {
  private static func make(_ kind: String, _ trace: Trace) -> any FlowStep<String, String> {
    switch kind {
    case "asker": Asker(trace)
    case "skipper": Skipper(with: "skipped", trace)
    default: Automatic(trace)
    }
  }

  @Test("such a step proceeds, may skip, and is backed up like any other")
  func runs() async throws {
    let trace = Trace()
    let flow = Flow("f") {
      Step.erased("a") { Self.make("automatic", trace) }
      Step.erased("b") { Self.make("skipper", trace) }
      Step.erased("c") { Self.make("asker", trace) }
    }
    let result = try await running(flow, with: "") { coordinator in
      let position = try await coordinator.settled()
      #expect(position.stack.map(\.step) == ["f/c", "f/a"])
      try await coordinator.abandon()
    }
    #expect(throws: FlowError.self) { try result.get() }
    #expect(trace.all == ["a:proceed()", "c:proceed(skipped)", "c:backUp", "a:backUp"])
  }
}
