import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// A host has one lease of a flow, whichever of its tasks asks for it. A task that ends the lease ends it for all.
@Suite("The one lease of a host", .timeLimit(.minutes(15))) struct SharedLeaseTests {
  private let clock = ManualWallClock()
  private let store: FaultyStore<MemoryFlowStore>
  private let log = Log()
  private let gate = Gate()

  init() {
    store = FaultyStore(MemoryFlowStore(clock: clock))
  }

  /// A flow whose step executes an effect between two questions.
  private func flow(_ log: Log) -> Flow<String, String> {
    Flow("f") {
      Step("a") { (input: String, context: StepContext) in
        let answer = try await context.ask(Form(text: "a"), key: "a")
        try await context.once("work") { _ in log.add("work") }
        return answer + (try await context.ask(Form(text: "b"), key: "b"))
      }
    }
  }

  private func host(_ flow: Flow<String, String>, _ owner: String = "host") async throws -> FlowHost {
    let host = FlowHost(store: store, clock: clock, owner: owner)
    try await host.register(flow)
    return host
  }

  private var isLeased: Bool { store.store.state.withLock { $0.leases["x"] != nil } }

  /// Leaves the flow behind as a host does that dies in the middle of the effect.
  private func interrupted() async throws {
    let dying = try await host(flow(Log()), "dying")
    try await dying.start("f", id: "x", json: "\"-\"".utf8)
    _ = try await dying.flow("x").settled()
    await dying.isQuiet()
    // The answer, and the state before the effect, are stored. The record of the effect is not.
    let commits = store.count(of: .commit) + 2
    store.plan { $0.operation == .commit && $0.numberOfOperation > commits ? .fail(.unavailable) : nil }
    try await dying.flow("x").answer(Form.self, with: "1")
    await dying.isQuiet()
    #expect(try await store.load("x")?.snapshot.status == .runnable)
    store.plan { _ in nil }
  }

  @Test("a claim's reply comes at any moment of a request: the effect is executed once, and no lease is left")
  func anyMoment() async throws {
    let chance = Chance(seed: Chance.seed)
    for round in 0..<100 {
      let test = SharedLeaseTests()
      try await test.interrupted()
      let host = try await test.host(test.flow(test.log))
      test.store.plan { call in
        let longest = call.operation == .claimDue ? 100 : 5
        return .holdReply { for _ in 0..<chance.below(longest) { await Task.yield() } }
      }
      let run = Task { try await host.run() }
      async let activation: Void = host.goOn("x")
      let view = try await host.answerNext("x", "\"2\"")
      await activation
      await host.isQuiet()
      #expect(view.status == .finished && test.log.all == ["work"], "round \(round)")
      run.cancel()
      try await run.value
      #expect(!test.isLeased, "round \(round)")
    }
  }

  @Test("a claim whose reply comes after the flow was leased, played and released again runs nothing")
  func lateClaim() async throws {
    try await interrupted()
    let host = try await host(flow(log))
    let polls = Gate()
    store.plan { [gate] in
      guard $0.operation == .claimDue else { return nil }
      polls.mark()
      return $0.numberOfOperation == 1 ? .holdReply(until: gate.pass) : nil
    }
    let run = Task { try await host.run() }
    await gate.reached()
    await host.goOn("x")
    #expect(try await host.flow("x").settled().status == .waiting)
    await host.isQuiet()
    #expect(log.all == ["work"])
    gate.open()
    await polls.reached(2)
    await host.isQuiet()
    #expect(log.all == ["work"] && !isLeased)
    try await host.flow("x").answer(Form.self, with: "2")
    #expect(try await host.flow("x").settled().status == .finished)
    run.cancel()
    try await run.value
  }

  @Test("a second start of a flow that runs by now takes no lease from it")
  func lateStart() async throws {
    let (found, working) = (Gate(), Gate())
    let host = try await host(
      Flow("f") {
        Step("work") { [log] (input: String, context: StepContext) in
          try await context.once("work") { _ in
            log.add("work")
            await working.pass()
          }
          return input
        }
        Step("b") { Asker() }
      })
    store.plan { $0.operation == .load && $0.numberOfOperation == 1 ? .holdReply(until: found.pass) : nil }
    async let second = host.start("f", id: "x", json: "\"-\"".utf8)
    await found.reached()
    try await host.start("f", id: "x", json: "\"-\"".utf8)
    await working.reached()
    found.open()
    _ = try await second
    working.open()
    #expect(try await host.flow("x").settled().status == .waiting)
    #expect(log.all == ["work"])
    await host.isQuiet()
    #expect(!isLeased)
  }
}
