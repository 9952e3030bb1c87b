import ActorFlow
import Testing

@Suite("Rendered steps, rule 11: effects that would wait for themselves") struct RenderedInsideTests {
  /// The path from an effect to a call.
  enum Route: CaseIterable, Sendable { case directly, childTask, task, ownFlow }

  @Test(
    "a call that would wait for its own effect is refused, with the alternatives of an effect",
    .timeLimit(.minutes(15)),
    arguments: SelfWaitTests.Verb.allCases, Route.allCases)
  func refused(verb: SelfWaitTests.Verb, route: Route) async throws {
    let (coordinator, seen) = (FlowCoordinator(id: "f"), Handover<FlowError?>())
    let script = BoardScript { _, _ in
      seen.give(await route.take { await refusal { try await verb.call(coordinator) } })
    }
    let flow = launch(.board(script), with: "", on: coordinator)
    try await flow.act(.run("a"))
    let error = try #require(await seen.value() ?? nil)
    #expect(error.code == .insideFlow)
    #expect(error.flow == "f")
    #expect(error.message.contains("effect"))
    #expect(error.message.contains(verb == .settled ? "`position`" : "its sink"))
    #expect(!error.message.contains("context"), "an effect has none")
    try await flow.act(.out("x"))
    _ = await flow.result
  }

  @Test("a step of a flow that an effect runs is still a step, and has its context")
  func stepOfOwnFlow() async throws {
    let (inner, seen) = (FlowCoordinator(), Handover<FlowError?>())
    let script = BoardScript { _, _ in
      let flow = Flow("g") { Step("a") { (_: String) in await refusal { try await inner.backUp() } } }
      seen.give(try await inner.run(flow, with: ""))
    }
    let flow = launch(.board(script), with: "")
    try await flow.act(.run("a"))
    #expect(try #require(await seen.value() ?? nil).message.contains("`try await context.backUp()`"))
    try await flow.act(.out("x"))
    _ = await flow.result
  }

  @Test("the alternatives of the refusal work: an output of an action moves the flow, a throw fails it")
  func remedies() async throws {
    let coordinator = FlowCoordinator()
    let sending = BoardScript(first: BoardState(effects: ["a"])) { _, sink in
      do { try await coordinator.backUp() } catch { await sink(.out("enough")) }
    }
    #expect(try await coordinator.run(Flow<String, String>.board(sending), with: "") == "enough")
    let throwing = BoardScript(first: BoardState(effects: ["a"])) { _, _ in try await coordinator.abandon() }
    #expect(await code { try await coordinator.run(Flow<String, String>.board(throwing), with: "") } == .insideFlow)
  }
}

/// Returns the error with which a call is refused.
private func refusal(_ body: () async throws -> Void) async -> FlowError? {
  do { try await body() } catch { return error as? FlowError }
  return nil
}

extension RenderedInsideTests.Route {
  func take(_ call: @escaping @Sendable () async -> FlowError?) async -> FlowError? {
    switch self {
    case .directly: return await call()
    case .childTask:
      async let error = call()
      return await error
    case .task: return await Task { await call() }.value
    case .ownFlow:
      let flow = Flow("g") { Step("a") { (_: String) in await call() } }
      return try? await FlowCoordinator().run(flow, with: "")
    }
  }
}
