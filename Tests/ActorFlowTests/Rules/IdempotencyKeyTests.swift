import ActorFlow
import Testing

@Suite("once: no two effects have one idempotency key") struct IdempotencyKeyTests {
  @Test("names with slashes do not make two effects share an idempotency key")
  func keysOfSlashes() async throws {
    let trace = Trace()
    func step(_ name: String, _ key: String) -> Step<String, String> {
      Step.scripted(name) { input, context in
        try await context.once(key) { trace.add($0) }
        return input
      }
    }
    _ = try await FlowCoordinator(id: "a/b").run(Flow { step("c", "k") }, with: "")
    _ = try await FlowCoordinator(id: "a").run(Flow { Flow("b") { step("c", "k") } }, with: "")
    _ = try await FlowCoordinator(id: "x").run(Flow { step("s", "k/1/k") }, with: "")
    _ = try await FlowCoordinator(id: "x/s/1").run(Flow { step("k", "k") }, with: "")
    _ = try await FlowCoordinator(id: "p%2Fq").run(Flow { step("s", "k") }, with: "")
    _ = try await FlowCoordinator(id: "p/q").run(Flow { step("s", "k") }, with: "")
    #expect(trace.all.count == 6)
    #expect(Set(trace.all).count == 6)
  }

  @Test("two places, two runs and two flows never share an idempotency key")
  func distinctKeys() async throws {
    let trace = Trace()
    let flow = Flow {
      for name in ["a", "b", "a"] {
        Step.scripted(name) { input, context in
          try await context.once("k") { trace.add($0) }
          return input
        }
      }
    }
    let coordinators = [FlowCoordinator(id: "one"), FlowCoordinator(id: "two")]
    for coordinator in coordinators + coordinators { _ = try await coordinator.run(flow, with: "") }
    #expect(trace.all.count == 12)
    #expect(Set(trace.all).count == 12)
  }
}
