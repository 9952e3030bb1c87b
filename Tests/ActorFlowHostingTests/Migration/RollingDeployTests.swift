import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

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
