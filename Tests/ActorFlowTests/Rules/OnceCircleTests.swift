import ActorFlow
import Testing

@Suite("once that would wait for itself") struct OnceCircleTests {
  private static func outcome(
    _ work: @escaping @Sendable (StepContext) async throws -> String
  ) async throws -> FlowError.Code? {
    let flow = Flow { Step("a") { (_: String, context: StepContext) in try await work(context) } }
    let result = try await running(flow, with: "") { _ in }
    if case .failure(let error) = result { return (error as? FlowError)?.code }
    return nil
  }

  @Test("work that calls once with its own key is refused, and the flow fails instead of hanging")
  func ownKey() async throws {
    let code = try await Self.outcome { context in
      try await context.once("k") { _ in try await context.once("k") { _ in "inner" } }
    }
    #expect(code == .insideFlow)
  }

  @Test("a nested call through another key and a child task is refused as well")
  func throughAnother() async throws {
    let code = try await Self.outcome { context in
      try await context.once("k") { _ in
        try await context.once("l") { _ in
          async let inner = context.once("k") { _ in "inner" }
          return try await inner
        }
      }
    }
    #expect(code == .insideFlow)
  }

  @Test("two works that wait for each other: the one that closes the circle is refused")
  func crossing() async throws {
    let (first, second) = (Checkpoint(), Checkpoint())
    let code = try await Self.outcome { context in
      async let one = context.once("1") { _ in
        await first.pass()
        return try await context.once("2") { _ in "2" }
      }
      async let two = context.once("2") { _ in
        await second.pass()
        return try await context.once("1") { _ in "1" }
      }
      await first.reached()
      await second.reached()
      first.open()
      second.open()
      return try await one + two
    }
    #expect(code == .insideFlow)
  }

  @Test("a circle in a rollback is refused likewise, and its error is reported")
  func rollback() async throws {
    let flow = Flow {
      Step.scripted(
        "a",
        backUp: { context in
          try await context.once("k") { _ in try await context.once("k") { _ in } }
        }
      ) { _, context in try await context.ask(Form(text: "a")) }
    }
    _ = try await running(flow, with: "") { coordinator in
      try await coordinator.settled()
      let thrown = await #expect(throws: FlowError.self) { try await coordinator.abandon() }
      #expect((thrown?.underlying as? FlowError)?.code == .insideFlow)
    }
  }

  @Test("work that calls once with another key, which is under way elsewhere, waits for it")
  func another() async throws {
    let gate = Checkpoint()
    let code = try await Self.outcome { context in
      async let slow = context.once("slow") { _ in
        await gate.pass()
        return "s"
      }
      await gate.reached()
      async let quick = context.once("quick") { _ in try await context.once("slow") { _ in "never" } }
      gate.open()
      let both = try await slow + quick
      return try #require(both == "ss" ? both : nil)
    }
    #expect(code == nil)
  }
}
