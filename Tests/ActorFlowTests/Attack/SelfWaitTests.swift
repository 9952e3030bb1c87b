import ActorFlow
import Testing

@Suite("Steps that wait for their own flow") struct SelfWaitTests {
  enum Place: String, CaseIterable, Sendable { case make, skip, proceed, effect, backUp }
  enum Verb: String, CaseIterable, Sendable { case backUp, backUpTo, abandon, settled }
  enum Route: String, CaseIterable, Sendable { case directly, childTask, group, task, ownFlow }

  @Test(
    "code of a step that waits for its own flow is refused at once, from any task and any call",
    .timeLimit(.minutes(15)),
    arguments: Place.allCases, Route.allCases)
  func refused(place: Place, route: Route) async throws {
    for verb in Verb.allCases {
      let coordinator = FlowCoordinator()
      let got = Shared<[String]>([])
      let wait: SelfWaiter.Wait = { here in
        guard here == place else { return }
        let code = await route.take { await outcome { try await verb.call(coordinator) } }
        got.change { $0.append(code) }
      }
      let flow = Flow("f") {
        Step("first") { Asker() }
        Step("self") {
          await wait(.make)
          return SelfWaiter(wait)
        }
        Step("last") { Asker() }
      }
      let result = try await running(flow, with: "", on: coordinator) { coordinator in
        _ = try await coordinator.settled()
        try await coordinator.answer(Form.self, with: "t")
        _ = try await coordinator.settled()
        try await coordinator.abandon(reason: "enough")
      }
      #expect(throws: FlowError.self) { try result.get() }
      #expect(got.value == ["insideFlow"], "\(verb)")
    }
  }

  @Test("a step that answers its own question from a child task is not refused")
  func ownAnswer() async throws {
    let coordinator = FlowCoordinator()
    let flow = Flow("f") {
      Step("self") { (_: String, context) in
        async let answer = context.ask(Form(text: ""))
        while await coordinator.position.questions.isEmpty { await Task.yield() }
        try await coordinator.answer(Form.self, with: "mine")
        return try await answer
      }
    }
    #expect(try await coordinator.run(flow, with: "") == "mine")
  }

  @Test("a step may wait for the flow of another coordinator, and back up or abandon it", .timeLimit(.minutes(15)))
  func otherFlow() async throws {
    let inner = FlowCoordinator()
    let outer = Flow("f") {
      Step("runner") { (_: String) in
        async let result = outcome { _ = try await inner.run(Flow("g") { Step("a") { Asker() } }, with: "") }
        _ = try await inner.settled()
        try await inner.abandon(reason: "enough")
        return await result
      }
    }
    #expect(try await FlowCoordinator().run(outer, with: "") == "abandoned")
  }

  @Test("a step that runs a flow on its own coordinator is refused, and the run goes on")
  func ownRun() async throws {
    let coordinator = FlowCoordinator()
    let flow = Flow("f") {
      Step("a") { (_: String) in
        await outcome { _ = try await coordinator.run(Flow("g") { Step("b") { Asker() } }, with: "") }
      }
    }
    #expect(try await coordinator.run(flow, with: "") == "alreadyRunning")
  }
}

extension SelfWaitTests.Verb {
  func call(_ coordinator: FlowCoordinator) async throws {
    switch self {
    case .backUp: try await coordinator.backUp()
    case .backUpTo: try await coordinator.backUp(to: "first")
    case .abandon: try await coordinator.abandon(reason: "self")
    case .settled: _ = try await coordinator.settled()
    }
  }
}

extension SelfWaitTests.Route {
  /// Makes `call` on an indirect path.
  func take(_ call: @escaping @Sendable () async -> String) async -> String {
    switch self {
    case .directly: return await call()
    case .childTask:
      async let result = call()
      return await result
    case .group:
      return await withTaskGroup(of: String.self) { group in
        group.addTask { await call() }
        return await group.next() ?? "-"
      }
    case .task: return await Task { await call() }.value
    case .ownFlow:
      let flow = Flow("inner") { Step("caller") { (_: Void) in await call() } }
      do { return try await FlowCoordinator().run(flow) } catch { return word(for: error) }
    }
  }
}

private actor SelfWaiter: SkippableStep {
  typealias Wait = @Sendable (SelfWaitTests.Place) async -> Void
  private let wait: Wait
  init(_ wait: @escaping Wait) { self.wait = wait }
  func skip(_ input: String, context: EntryContext) async -> Skip<String> {
    await wait(.skip)
    return .enter
  }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    await wait(.proceed)
    try await context.once("effect") { [wait] _ in await wait(.effect) }
    return input
  }
  func backUp(context: RollbackContext) async { await wait(.backUp) }
}
