import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Leases of a host", .timeLimit(.minutes(15))) struct LeaseTests {
  private let clock = ManualWallClock()
  private let store: FaultyStore<MemoryFlowStore>
  private let gate = Gate()

  init() {
    store = FaultyStore(MemoryFlowStore(clock: clock))
  }

  /// A flow whose first step passes the gate, and then asks.
  private var slow: Flow<String, String> {
    Flow("f") {
      Step("slow") { [gate] (text: String, context: StepContext) in
        let number = try await context.once("count") { _ in 1 }
        await gate.pass()
        return "\(text)\(number)"
      }.durableEntry()
      Step("ask") { Asker() }
    }
  }

  private let asking = Flow<String, String>("f") { Step("ask") { Asker() } }

  private func host(_ owner: String, on other: FaultyStore<MemoryFlowStore>? = nil) -> FlowHost {
    FlowHost(store: other ?? store, clock: clock, owner: owner)
  }

  /// Another way to the same flows, whose calls are not counted and do not fail.
  private var other: FaultyStore<MemoryFlowStore> { FaultyStore(store.store) }

  // MARK: - Beats

  @Test("a host beats once for all its flows, three times in the lease time")
  func oneBeat() async throws {
    let host = host("host")
    let flows = try await host.register(slow)
    for number in 0..<20 { try await flows.start(id: FlowID("\(number)"), with: "-") }
    await gate.reached(20)
    let run = Task { try await host.run() }
    for _ in 0..<6 {
      try await clock.waitForSleepers(2)
      clock.advance(by: .seconds(5))
    }
    try await clock.waitForSleepers(2)
    #expect(store.count(of: .beat) == 3 && store.count(of: .attach) == 1)
    gate.open()
    for number in 0..<20 { #expect(try await host.flow(FlowID("\(number)")).settled().status == .waiting) }
    run.cancel()
    try await run.value
  }

  @Test("a host that does not run beats when it is used, also by a step that works for long")
  func beatOnUse() async throws {
    let host = host("host")
    try await host.register(slow).start(id: "x", with: "-")
    await gate.reached(1)
    clock.advance(by: .seconds(11))
    #expect(store.count(of: .beat) == 0)
    gate.open()
    #expect(try await host.flow("x").settled().status == .waiting)
    #expect(store.count(of: .beat) == 1)
    clock.advance(by: .seconds(9))
    _ = try await host.flow("x").answer(Form.self, with: "1")
    #expect(store.count(of: .beat) == 1)
  }

  @Test("an answer acquires and commits, and the last commit releases; the flow is not loaded")
  func calls() async throws {
    let host = host("host")
    try await host.register(asking).start(id: "x", with: "-")
    let question = try #require(try await host.flow("x").settled().questions.first?.id)
    await host.isQuiet()
    let before = store.calls.count
    try await host.flow("x").answer(question, with: "1")
    await host.isQuiet()
    let calls = store.calls.dropFirst(before).map(\.operation)
    #expect(Array(calls) == [.acquire, .commit, .commit])
  }

  // MARK: - The end of an epoch

  @Test("a host that stalls until another one takes a flow gives up all its flows, and goes on under a new epoch")
  func stalled() async throws {
    let first = host("first")
    let flows = try await first.register(slow)
    for id in ["x", "y"] as [FlowID] { try await flows.start(id: id, with: "-") }
    await gate.reached(2)
    let run = Task { try await first.run() }
    try await clock.waitForSleepers(2)
    let stall = Gate()
    store.plan { $0.operation == .beat ? .delay { await stall.pass() } : nil }
    clock.advance(by: .seconds(10))
    await stall.reached(1)
    clock.advance(by: .seconds(30))
    let heir = try await other.attach(owner: "heir", for: .seconds(600))
    let leased = try await other.acquire("x", under: heir)
    #expect(leased.flow?.snapshot.status == .runnable)
    let before = try #require(try await other.load("y"))
    stall.open()
    // Both steps return, and neither writes anything: the end of the epoch has ended both leases.
    gate.open()
    _ = try await first.flow("y").settled()
    let y = try await first.flow("y").history()
    #expect(y.filter { $0.what == "asked" }.count == 1 && y.map(\.sequence) == Array(1...y.count))
    #expect(try #require(try await other.load("y")).revision > before.revision)
    #expect(try await other.load("x") == leased.flow)
    #expect(store.count(of: .attach) == 2)
    try await other.detach(heir)
    #expect(try await first.flow("x").settled().status == .waiting)
    run.cancel()
    try await run.value
  }

  @Test("a host whose name another process takes stops: run throws, and requests are refused")
  func replaced() async throws {
    let first = host("host")
    try await first.register(slow).start(id: "x", with: "-")
    await gate.reached(1)
    let run = Task { try await first.run() }
    try await clock.waitForSleepers(2)
    let second = host("host", on: other)
    try await second.register(slow)
    _ = try await second.flow("x").send(1, to: Signal<Int>("s"), key: "1")
    await gate.reached(2)
    clock.advance(by: .seconds(10))
    gate.open()
    #expect(await code { try await run.value } == .alreadyRunning)
    #expect(try await second.flow("x").settled().status == .waiting)
    #expect(try await second.flow("x").history().filter { $0.what == "asked" }.count == 1)
    // A host that does not run learns of it with its next request.
    let third = host("host", on: other)
    try await third.register(slow)
    try await third.answerNext("x", "\"1\"")
    #expect(await code { try await second.flow("x").answer(Form.self, with: "2") } == .alreadyRunning)
  }

  @Test("a restarted host takes over at once what its former process held")
  func restarted() async throws {
    let first = host("host")
    try await first.register(slow).start(id: "x", with: "-")
    await gate.reached(1)
    await first.die()
    let second = host("host", on: other)
    try await second.register(slow)
    gate.open()
    #expect(try await second.flow("x").settled().status == .waiting)
  }

  @Test("a host that has stopped holds no lease, also not of flows whose release failed")
  func detached() async throws {
    store.plan { $0.operation == .release ? .fail(.unavailable) : nil }
    let host = host("host")
    try await host.register(asking).start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    try await host.shutDown()
    let next = try await other.attach(owner: "next", for: .seconds(60))
    _ = try await other.acquire("x", under: next)
  }

  // MARK: - Lost replies

  @Test("a flow whose claim lost its reply is released and claimed again by the next poll")
  func lostClaim() async throws {
    let first = host("first", on: other)
    try await first.register(slow).start(id: "x", with: "-")
    await gate.reached(1)
    await first.die()
    gate.open()
    await first.isQuiet()
    clock.advance(by: .seconds(31))
    store.plan { $0.operation == .claimDue && $0.numberOfOperation == 1 ? .loseAcknowledgement : nil }
    let host = host("host")
    try await host.register(slow)
    let events = host.flow("x").events
    let run = Task { try await host.run() }
    // The pause after a poll that failed.
    try await clock.waitForSleepers(2)
    #expect(store.store.state.withLock { $0.leases["x"]?.owner } == "host")
    clock.advance(by: .milliseconds(250))
    for await event in events { if case .asked = event.change { break } }
    #expect(store.count(of: .leased) == 1)
    run.cancel()
    try await run.value
  }

  @Test("a flow whose lease was lost with all replies is released with the next request, and no other flow is")
  func lostLease() async throws {
    let host = host("host")
    let flows = try await host.register(slow)
    try await flows.start(id: "busy", with: "-")
    await gate.reached(1)
    store.plan { $0.operation == .acquire ? .loseAcknowledgement : nil }
    await #expect(throws: FlowStoreError.self) { try await flows.start(id: "x", with: "-") }
    store.plan { _ in nil }
    #expect(store.store.state.withLock { $0.leases["x"]?.owner } == "host")
    #expect(await code { try await host.flow("none").answer(Form.self, with: "1") } == .noSuchFlow)
    #expect(store.store.state.withLock { $0.leases["x"] } == nil)
    #expect(store.store.state.withLock { $0.leases["busy"]?.owner } == "host")
    gate.open()
    #expect(try await host.flow("busy").settled().status == .waiting)
  }

  @Test("every eighth beat a host gives back what it does not hold")
  func comparison() async throws {
    let host = host("host")
    let flows = try await host.register(slow)
    try await flows.start(id: "busy", with: "-")
    await gate.reached(1)
    let run = Task { try await host.run() }
    try await clock.waitForSleepers(2)
    _ = try await other.acquire("unknown", under: try #require(await host.epoch.latest))
    for beat in 1...8 {
      #expect(store.store.state.withLock { $0.leases["unknown"] } != nil, "\(beat)")
      clock.advance(by: .seconds(10))
      try await clock.waitForSleepers(2)
    }
    #expect(store.count(of: .leased) == 1)
    #expect(store.store.state.withLock { $0.leases["unknown"] } == nil)
    #expect(store.store.state.withLock { $0.leases["busy"] } != nil)
    gate.open()
    run.cancel()
    try await run.value
  }
}
