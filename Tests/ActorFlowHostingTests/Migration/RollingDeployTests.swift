import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Hosts of two builds on one store, of which the newer one cannot go on with the flows of the older.
@Suite("Rolling deploys", .timeLimit(.minutes(15))) struct RollingDeployTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore

  init() { store = MemoryFlowStore(clock: clock) }

  private func flow(_ step: String) -> Flow<String, String> {
    Flow("f") {
      Step(step) { (text: String, context: StepContext) in
        try await context.ask(Form(text: text), within: .seconds(60)) ?? "late"
      }
    }
  }

  private func host(_ owner: String) -> FlowHost { FlowHost(store: store, clock: clock, owner: owner) }

  @Test("a host that has no way from the flow's version refuses requests, and the old host's timer fires")
  func refuses() async throws {
    let (old, new) = (host("old"), host("new"))
    let flows = try await old.register(flow("a"))
    try await new.register(flow("b"), version: 2)
    try await flows.start(id: "x", with: "-")
    _ = try await old.flow("x").settled()
    await old.isQuiet()
    let before = try await store.load("x")
    for request in [
      { try await new.flow("x").answer(Form.self, with: "1") }, { try await new.flow("x").note("seen") },
      { try await new.flow("x").backUp() }, { try await new.flow("x").retry() },
    ] as [@Sendable () async throws -> Void] {
      let error = await #expect(throws: FlowError.self) { try await request() }
      #expect(error?.code == .unmigrated && error?.message.contains("version 1 of \"f\" is not registered") == true)
    }
    await new.isQuiet()
    #expect(try await store.load("x") == before)
    #expect(try await new.plan().counts.unmigrated == 1)
    clock.advance(by: .seconds(60))
    let claims = try await new.claimWork()
    #expect(claims.activated.isEmpty && claims.refused.isEmpty)
    #expect(try await old.catchUp().isEmpty)
    #expect(try await flows.outcome(of: "x") == .finished("late"))
  }

  /// A flow `x` that waits at the first host's step and is passivated.
  private func waiting(at old: FlowHost) async throws -> RegisteredFlow<String, String> {
    let flows = try await old.register(flow("a"))
    try await flows.start(id: "x", with: "-")
    _ = try await old.flow("x").settled()
    await old.isQuiet()
    return flows
  }

  @Test("the wrong host refuses every request before it leases the flow, also one that another host holds")
  func leasesNothing() async throws {
    let faulty = FaultyStore(store)
    let (old, new) = (host("old"), FlowHost(store: faulty, clock: clock, owner: "new"))
    _ = try await waiting(at: old)
    try await new.register(flow("b"), version: 2)
    let other = try await store.attach(owner: "other", for: .seconds(600))
    let question = try #require(try await old.flow("x").view().questions.first?.id)
    for isHeld in [false, true] {
      if isHeld { _ = try await store.acquire("x", under: other) }
      let before = store.state.withLock { $0.leases["x"] }
      let requests: [(String, @Sendable (HostedFlow) async throws -> Void)] = [
        ("answer", { try await $0.answer(question, with: "1") }), ("note", { try await $0.note("seen") }),
        ("send", { try await $0.send("1", to: Signal<String>("s"), key: "1") }), ("backUp", { try await $0.backUp() }),
        ("abandon", { try await $0.abandon() }), ("retry", { try await $0.retry() }),
        ("refresh", { try await $0.refresh() }), ("move", { try await $0.move() }),
        ("edit", { try await $0.edit([.custom { _ in }]) }),
        ("complete", { try await $0.complete("a", output: "\"1\"".utf8) }),
        ("enter", { try await $0.enter("a", input: "\"1\"".utf8) }),
        ("reassign", { try await $0.reassign(question, to: ["ann"]) }),
      ]
      for (name, request) in requests {
        #expect(await code { try await request(new.flow("x")) } == .unmigrated, "\(name), held: \(isHeld)")
        #expect(store.state.withLock { $0.leases["x"] } == before, "\(name), held: \(isHeld)")
      }
      #expect(try await store.wanted(under: other).isEmpty, "a wish would take the flow from the host that runs it")
    }
    #expect(!faulty.calls.contains { $0.operation == .release || $0.operation == .commit })
  }

  @Test(
    "requests at the wrong host and at the right one at once: the right one is never kept waiting",
    arguments: [
      false, true,
    ])
  func bothOrders(wrongFirst: Bool) async throws {
    let (old, new) = (host("old"), host("new"))
    let flows = try await waiting(at: old)
    try await new.register(flow("b"), version: 2)
    let wrong: @Sendable () async -> FlowError.Code? = {
      await code { try await new.flow("x").answer(Form.self, with: "wrong") }
    }
    if wrongFirst { #expect(await wrong() == .unmigrated) }
    async let refused = wrong()
    try await old.flow("x").answer(Form.self, with: "right")
    #expect(await refused == .unmigrated)
    if !wrongFirst { #expect(await wrong() == .unmigrated) }
    _ = try await old.flow("x").settled()
    await old.isQuiet()
    #expect(try await flows.outcome(of: "x") == .finished("right"))
    #expect(try await old.flow("x").history().map(\.what) == ["launched", "moved", "asked", "answered", "finished"])
  }

  @Test("the old host refuses a flow of the new version before it leases it, and takes it after a deploy back")
  func newFlow() async throws {
    let (old, new) = (host("old"), host("new"))
    try await old.register(flow("a"))
    try await new.register(flow("b"), version: 2).start(id: "x", with: "-")
    _ = try await new.flow("x").settled()
    await new.isQuiet()
    #expect(await code { try await old.flow("x").answer(Form.self, with: "1") } == .unmigrated)
    #expect(store.state.withLock { $0.leases["x"] } == nil)
    let back = host("back")
    let flows = try await back.register(flow("a"), from: 2, moves: [.rename("f/b", to: "f/a")])
    try await back.flow("x").answer(Form.self, with: "1")
    _ = try await back.flow("x").settled()
    #expect(try await flows.outcome(of: "x") == .finished("1"))
  }

  @Test("a host with a way that the flow cannot take stores it as unmigrated, until it registers one that it can")
  func marks() async throws {
    let (old, new, newest) = (host("old"), host("new"), host("newest"))
    try await old.register(flow("a")).start(id: "x", with: "-")
    _ = try await old.flow("x").settled()
    await old.isQuiet()
    try await new.register(flow("b"), version: 2, from: 1)
    #expect(await code { try await new.flow("x").answer(Form.self, with: "1") } == .unmigrated)
    #expect(try await new.list(FlowQuery(status: [.unmigrated])).flows.map(\.id) == ["x"])
    clock.advance(by: .seconds(60))
    #expect(try await new.catchUp().isEmpty)
    let flows = try await newest.register(flow("c"), version: 3, from: 1, moves: [.rename("f/a", to: "f/c")])
    #expect(try await newest.list(FlowQuery(status: [.unmigrated])).flows.isEmpty)
    try await newest.flow("x").note("go on")
    #expect(try await newest.catchUp().isEmpty)
    #expect(try await flows.outcome(of: "x") == .finished("late"))
  }

  @Test("a flow that a worker has claimed for a host that has no way from its version is stored as unmigrated")
  func claimed() async throws {
    let (old, new) = (host("old"), host("new"))
    try await old.register(flow("a")).start(id: "x", with: "-")
    _ = try await old.flow("x").settled()
    await old.isQuiet()
    try await new.register(flow("b"), version: 2)
    clock.advance(by: .seconds(60))
    let epoch = try await store.attach(owner: "worker", for: .seconds(600))
    let claims = try await store.claimDue(under: epoch, serving: ["f": 1...2], limit: 10)
    #expect(await code { try await new.work(on: try #require(claims.first)) } == .unmigrated)
    #expect(try await store.load("x")?.snapshot.status == .unmigrated)
    #expect(try await store.claimDue(under: epoch, serving: ["f": 1...2], limit: 10).isEmpty)
  }
}
