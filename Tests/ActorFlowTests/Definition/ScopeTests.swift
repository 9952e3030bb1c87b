import ActorFlow
import Testing

@Suite("Scopes in a definition") struct ScopeTests {
  private func step(_ name: String) -> Step<String, String> { Step(name) { (input: String) in input + name } }

  /// The scopes in the order in which they open.
  private func scopes<I, O>(_ flow: Flow<I, O>) -> [Scope] {
    flow.graph.program.compactMap { if case .open(let scope) = $0 { scope } else { nil } }
  }

  @Test("each wrapper opens a scope around the component, and closes it behind its last edge")
  func brackets() {
    let flow = Flow {
      step("a")
      step("b").map { $0 }.timeout(.seconds(3))
      step("c")
    }
    let kinds = flow.graph.program.map { "\($0)".prefix { $0 != "(" } }
    #expect(kinds == ["step", "open", "step", "transform", "close", "step", "end"])
    #expect(scopes(flow).map(\.first) == [2])
    #expect(scopes(flow).map(\.next) == [5])
    #expect(flow.steps == ["a", "b", "c"])
  }

  @Test("the scopes have the given settings, from the outside in")
  func kinds() async throws {
    let flow = step("a").timeout(.seconds(3)).retry(4, backoff: .constant(.seconds(1))).expires(afterIdle: .seconds(5))
      .recover { "\($0)" }
    let found = scopes(flow)
    try #require(found.count == 4)
    guard case .recover(let recovery) = found[0].kind else { throw Refused() }
    #expect(try await recovery(Refused()) as? String == "Refused()")
    guard case .expiry(.seconds(5)) = found[1].kind else { throw Refused() }
    guard case .retry(4, .constant(.seconds(1))) = found[2].kind else { throw Refused() }
    guard case .timeout(.seconds(3)) = found[3].kind else { throw Refused() }
  }

  @Test("a retry does not pause by default, and makes at least one attempt", arguments: [-1, 0, 1])
  func attempts(asked: Int) throws {
    let scope = try #require(scopes(step("a").retry(asked)).first)
    guard case .retry(1, .none) = scope.kind else { throw Refused() }
  }

  @Test("a scope knows whether it is around one step")
  func only() {
    let two = Flow {
      step("a")
      step("b")
    }
    #expect(scopes(step("a").map { $0 }.retry(2)).map { $0.only?.info.id } == ["a"])
    #expect(scopes(two.retry(2)).map { $0.only?.info.id } == [nil])
  }

  @Test("a scope leaves names as they are")
  func names() {
    #expect(step("a").timeout(.seconds(1)).named("z").steps == ["z"])
    #expect(Flow("x") { step("a") }.retry(2).named("z").steps == ["z/a"])
    #expect(scopes(step("a").retry(2).named("z")).count == 1)
  }

  @Test("a scope without an event changes nothing")
  func quiet() async throws {
    let flow = Flow {
      step("a").timeout(.seconds(1_000)).retry(3).recover { _ in "never" }
      step("b").expires(afterIdle: .seconds(1_000))
    }
    #expect(try await FlowCoordinator().run(flow, with: "") == "ab")
  }

  @Test("the nearest presentation wins, and the default is none")
  func presentation() {
    let flow = Flow {
      step("a")
      Flow {
        step("b")
        step("c").presentation(.push)
      }.presentation(.modal)
    }
    #expect(flow.graph.nodes.map(\.info.presentation) == [nil, .modal, .push])
  }

  @Test("a visit carries its step's presentation")
  func visit() async throws {
    let coordinator = FlowCoordinator()
    _ = try await coordinator.run(step("a").presentation(.custom("sheet")), with: "")
    #expect(await coordinator.position.stack.map(\.presentation) == [.custom("sheet")])
  }
}
