import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Requests that come at once under one key have one effect.
@Suite("Concurrent requests under one key", .timeLimit(.minutes(15))) struct ConcurrentKeyTests {
  private let store = MemoryFlowStore()

  private struct Tally: RenderedStep {
    enum Action: Codable, Sendable { case add(Int), fail }
    struct View: Prompt, Codable {
      typealias Answer = Action
      let sum: Int
      /// Suspends, so that several answers are validated at once.
      func validate(_ answer: Action) async throws { for _ in 0..<20 { await Task.yield() } }
    }
    struct State: Codable, Sendable, Equatable {
      var sum = 0
      var fails = false
    }

    func makeState() -> State { State() }

    func apply(_ action: Action, to state: inout State) -> Int? {
      switch action {
      case .add(let number): state.sum += number
      case .fail: state.fails = true
      }
      return nil
    }

    func render(_ state: State, in scope: inout RenderScope<Tally>) -> View {
      if state.fails { for _ in 1...2 { scope.run("twice") { _ in } } }  // a step that uses a key twice fails
      return View(sum: state.sum)
    }
  }

  /// The outcomes of requests that are sent at once: `ok`, or the error's code.
  private func outcomes(of requests: [@Sendable () async throws -> Void]) async -> [String] {
    await withTaskGroup(of: String.self) { group in
      for request in requests {
        group.addTask {
          do { try await request() } catch { return (error as? FlowError).map { "\($0.code)" } ?? "\(error)" }
          return "ok"
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  private func tallying(_ id: FlowID) async throws -> (FlowHost, Question.ID) {
    let host = FlowHost(store: store)
    let flow = Flow<String, Int>("tally") { Step("tally") { (_: String) in Tally() } }
    try await host.register(flow).start(id: id, with: "-")
    return (host, try #require(try await host.flow(id).settled().questions.first?.id))
  }

  private func sum(_ host: FlowHost, _ id: FlowID) async throws -> Int? {
    try await host.flow(id).settled().questions.first?.prompt(as: Tally.View.self).sum
  }

  @Test("an action that is sent several times at once under one key is applied once, and every sender succeeds")
  func action() async throws {
    for round in 1...30 {
      let id = FlowID("same-\(round)")
      let (host, question) = try await tallying(id)
      let request: @Sendable () async throws -> Void = {
        try await host.flow(id).answer(question, with: Tally.Action.add(1), key: "k")
      }
      #expect(await outcomes(of: Array(repeating: request, count: 4)) == ["ok", "ok", "ok", "ok"])
      #expect(try await sum(host, id) == 1)
    }
  }

  @Test("of different actions that are sent at once under one key one is applied, and the others are refused")
  func reusedKey() async throws {
    for round in 1...30 {
      let id = FlowID("other-\(round)")
      let (host, question) = try await tallying(id)
      let outcomes = await outcomes(
        of: [1, 10, 100].map { number in
          { try await host.flow(id).answer(question, with: Tally.Action.add(number), key: "k") }
        })
      #expect(outcomes.sorted() == ["keyReused", "keyReused", "ok"])
      #expect([1, 10, 100].contains(try await sum(host, id)))
    }
  }

  @Test("an action that makes its step fail is refused and leaves its key unused, as in memory")
  func failing() async throws {
    let (host, question) = try await tallying("failing")
    try await host.flow("failing").answer(question, with: Tally.Action.add(2), key: "a")
    await #expect(throws: FlowError.self) {
      try await host.flow("failing").answer(question, with: Tally.Action.fail, key: "b")
    }
    #expect(try await host.flow("failing").settled().status == .suspended)
    try await host.flow("failing").retry()
    #expect(try await sum(host, "failing") == 2)
    let next = try #require(try await host.flow("failing").settled().questions.first?.id)
    try await host.flow("failing").answer(next, with: Tally.Action.add(3), key: "b")
    #expect(try await sum(host, "failing") == 5)
  }

  @Test("an answer by the type of its prompt, sent several times at once under one key, answers one question")
  func byType() async throws {
    for round in 1...60 {
      let id = FlowID("form-\(round)")
      let host = FlowHost(store: store)
      let flow = Flow<String, String>("forms") {
        for number in 1...4 {
          Step("ask \(number)") { (text: String, context: StepContext) in try await context.ask(Form(text: text)) }
        }
      }
      try await host.register(flow).start(id: id, with: "-")
      _ = try await host.flow(id).settled()
      let request: @Sendable () async throws -> Void = {
        try await host.flow(id).answer(Form.self, with: "x", key: "k")
      }
      _ = await outcomes(of: Array(repeating: request, count: 4))
      #expect(try await host.flow(id).settled().steps == ["forms/ask 2"])
    }
  }

  @Test("a retry that is sent several times at once under one key is one attempt")
  func retry() async throws {
    for round in 1...60 {
      let id = FlowID("retry-\(round)")
      let attempts = Log()
      let host = FlowHost(store: store)
      let flow = Flow<String, String>("failing") {
        Step("fail") { (_: String) -> String in
          attempts.add("attempt")
          throw Refused()
        }
      }
      try await host.register(flow).start(id: id, with: "-")
      #expect(try await host.flow(id).settled().status == .suspended)
      let request: @Sendable () async throws -> Void = { try await host.flow(id).retry(key: "r") }
      #expect(await outcomes(of: Array(repeating: request, count: 6)).allSatisfy { $0 == "ok" })
      #expect(try await host.flow(id).settled().status == .suspended)
      try await host.catchUp()
      #expect(attempts.all.count == 2)
    }
  }

  @Test("a suspended flow does not run, even if a caller that saw it runnable begins it")
  func suspended() async throws {
    let attempts = Log()
    let host = FlowHost(store: store)
    let flow = Flow<String, String>("failing") {
      Step("fail") { (_: String) -> String in
        attempts.add("attempt")
        throw Refused()
      }
    }
    try await host.register(flow).start(id: "s", with: "-")
    #expect(try await host.flow("s").settled().status == .suspended)
    let loaded = try await host.take("s")
    await host.begin(loaded)
    await host.release(loaded)
    await host.isQuiet()
    #expect(attempts.all.count == 1)
  }
}
