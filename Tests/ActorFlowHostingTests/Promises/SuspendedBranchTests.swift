import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Flows that are suspended because a branch failed, while another branch asks or waits. The branches are passivated
/// before the next request comes, at the same host or at another.
@Suite("Branches beside a failed one", .timeLimit(.minutes(15))) struct SuspendedBranchTests {
  private let log = Log()
  private let store = MemoryFlowStore()
  private let fails = Variable(true)
  private let paid = Signal<String>("paid")

  /// Two branches: the first asks twice with an effect in between, the second asks, and fails while it has to.
  private var flow: Flow<String, String> {
    Flow("f") { [log, fails] in
      Parallel {
        Step("a") { (text: String, context: StepContext) in
          let first = try await context.ask(Form(text: "first"))
          let receipt = try await context.once("charge") { _ in
            log.add("charged")
            return "$"
          }
          return try await first + receipt + context.ask(Form(text: "second"))
        }
        Step("b") { (text: String, context: StepContext) in
          let answer = try await context.ask(Form(text: "b"))
          if fails.value { throw Boom() }
          return answer
        }
      } join: {
        $0 + $1
      }
    }
  }

  private func host(_ owner: String) async throws -> (FlowHost, RegisteredFlow<String, String>) {
    var options = FlowHost.Options()
    options.keepHot = .zero
    let host = try FlowHost(store: store, owner: owner, options: options)
    return (host, try await host.register(flow))
  }

  private func answer(_ step: String, _ text: String, at host: FlowHost) async throws {
    let question = try await host.flow("x").settled().questions.first { $0.step.name == step }
    try await host.flow("x").answer(try #require(question?.id), with: text)
  }

  /// Starts the flow, and suspends it while its first branch asks for the second time.
  private func suspended(at host: FlowHost, _ flows: RegisteredFlow<String, String>) async throws -> FlowView {
    try await flows.start(id: "x", with: "-")
    try await answer("a", "1", at: host)
    try await answer("b", "2", at: host)
    let view = try await host.flow("x").settled()
    #expect(view.status == .suspended && view.questions.map(\.step.name) == ["a"])
    await host.isQuiet()
    return view
  }

  @Test(
    "a retry asks the open question of the other branch again, with its id, and repeats no effect",
    arguments: [false, true])
  func retried(atAnother: Bool) async throws {
    let (host, flows) = try await host("host")
    let before = try await suspended(at: host, flows)
    let (next, _) = try await atAnother ? self.host("next") : (host, flows)
    fails.value = false
    try await next.flow("x").retry()
    let view = try await next.flow("x").settled()
    #expect(view.status == .waiting && view.questions.map(\.id) == before.questions.map(\.id))
    try await next.flow("x").answer(try #require(view.questions.first?.id), with: "3")
    _ = try await next.flow("x").settled()
    #expect(try await flows.outcome(of: "x") == .finished("1$32"))
    #expect(log.all == ["charged"])
    await next.isQuiet()
  }

  @Test("a note changes nothing of the branches, and runs none of them", arguments: [false, true])
  func noted(atAnother: Bool) async throws {
    let (host, flows) = try await host("host")
    let before = try await suspended(at: host, flows)
    let (next, _) = try await atAnother ? self.host("next") : (host, flows)
    for _ in 0..<2 {
      try await next.flow("x").note("looked at", by: Principal(id: "cleo"))
      let view = try await next.flow("x").view()
      #expect(view.status == .suspended && view.questions.map(\.id) == before.questions.map(\.id))
      #expect(view.stack == before.stack && view.failure == before.failure)
      await next.isQuiet()
    }
    let question = try #require(before.questions.first?.id)
    #expect(await code { try await next.flow("x").answer(question, with: "3") } == .suspended)
    fails.value = false
    try await next.flow("x").retry()
    try await answer("a", "3", at: next)
    _ = try await next.flow("x").settled()
    #expect(try await flows.outcome(of: "x") == .finished("1$32"))
    #expect(log.all == ["charged"])
    await next.isQuiet()
  }

  @Test(
    "the step beside a failed one is neither completed nor entered, and the failed one can be",
    arguments: [false, true])
  func completed(atAnother: Bool) async throws {
    let (host, flows) = try await host("host")
    let before = try await suspended(at: host, flows)
    let (next, _) = try await atAnother ? self.host("next") : (host, flows)
    let flow = next.flow("x")
    #expect(await code { try await flow.complete("a", output: "\"A\"".utf8) } == .suspended)
    #expect(await code { try await flow.enter("a", input: "\"A\"".utf8) } == .suspended)
    let view = try await flow.view()
    #expect(view.status == .suspended && view.revision == before.revision && view.failure == before.failure)
    try await flow.complete("b", output: "\"B\"".utf8)
    try await answer("a", "3", at: next)
    _ = try await flow.settled()
    #expect(try await flows.outcome(of: "x") == .finished("1$3B"))
    #expect(log.all == ["charged"])
    await next.isQuiet()
  }

  @Test("a retry that fails again leaves the other branch where it was, however often")
  func retriedInVain() async throws {
    let (host, flows) = try await host("host")
    let before = try await suspended(at: host, flows)
    for _ in 0..<3 {
      try await host.flow("x").retry()
      #expect(try await host.flow("x").settled().status == .suspended)
      try await host.flow("x").note("still failing")
      let view = try await host.flow("x").view()
      #expect(view.questions.map(\.id) == before.questions.map(\.id))
    }
    #expect(log.all == ["charged"])
    try await host.flow("x").abandon()
    #expect(try await host.flow("x").view().status == .abandoned)
    await host.isQuiet()
  }

  @Test("a signal for a suspended flow whose buffer is full is refused as any request, and nothing has changed")
  func fullBuffer() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(
      Flow<String, String>("f") { [paid, fails] in
        Parallel {
          Step("a") { (text: String, context: StepContext) in
            String(try await context.wait(for: paid, matching: { $0.hasPrefix("1:") }).prefix(2))
          }
          Step("b") { (text: String, context: StepContext) in
            let answer = try await context.ask(Form(text: "b"))
            if fails.value { throw Boom() }
            return answer
          }
        } join: {
          $0 + $1
        }
      })
    try await flows.start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    let text = String(repeating: "x", count: 200_000)
    for number in 0..<5 {
      #expect(try await host.flow("x").send("9: \(text)", to: paid, key: "\(number)") == .accepted)
    }
    try await answer("b", "2", at: host)
    #expect(try await host.flow("x").settled().status == .suspended)
    await host.isQuiet()
    let before = try await store.load("x")
    for value in ["9: \(text)", "1: \(text)", "1: small"] {
      #expect(await code { try await host.flow("x").send(value, to: paid, key: "new") } == .suspended)
    }
    #expect(try await host.flow("x").send("9: \(text)", to: paid, key: "0") == .duplicate)
    await host.isQuiet()
    #expect(try await store.load("x") == before)
    fails.value = false
    try await host.flow("x").retry()
    #expect(await code { try await host.flow("x").send("9: \(text)", to: paid, key: "new") } == .signalsFull)
    #expect(try await host.flow("x").send("1: \(text)", to: paid, key: "new") == .accepted)
    _ = try await host.flow("x").settled()
    #expect(try await flows.outcome(of: "x") == .finished("1:2"))
    await host.isQuiet()
  }
}
