import ActorFlow
import Testing

@Suite("Steps passed over by a back") struct PassedOverTests {
  @Test("a passed-over step loses its records, also when its backUp threw; the backUp is not retried")
  func passedOver() async throws {
    let (trace, undone) = (Trace(), Trace())
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step.scripted(
          "pay",
          backUp: { context in
            undone.add(await context.record("charge", as: Int.self).word)
            throw Refused()
          }
        ) { input, context in
          trace.add("before: \(await context.record("charge", as: Int.self).word)")
          _ = try await context.once("charge") { key in
            trace.add(key)
            return trace.all.count
          }
          return input
        }
        Step("c") { Asker() }
      }, with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    #expect(await code { try await flow.coordinator.backUp() } == .rollbackFailed)
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    let lines = trace.all
    #expect(lines.count == 4 && lines[0] == "before: none" && lines[2] == "before: none")
    #expect(lines[1] != lines[3], "charged once more")
    #expect(await code { try await flow.coordinator.abandon() } == .rollbackFailed)
    #expect(undone.all == ["done 2", "done 4"], "each once")
    _ = await flow.result
  }
}
