import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Flows that a worker claims outside the host, one by one.
@Suite("Working on one leased flow", .timeLimit(.minutes(15))) struct WorkingTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let log = Log()

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  private var flow: Flow<String, String> {
    Flow("f") {
      Step("a") { Asker(log) }
      Step("work") { [log] (input: String, _: StepContext) in
        log.add("work")
        return input
      }.durableEntry()
      Step("b") { Asker(log) }
    }
  }

  private func host(keepHot: Duration = .zero) async throws -> FlowHost {
    var options = FlowHost.Options()
    options.keepHot = keepHot
    let host = try FlowHost(store: store, clock: clock, owner: "host", options: options)
    try await host.register(flow)
    return host
  }

  private var isLeased: Bool { store.state.withLock { $0.leases["x"] != nil } }

  /// Stores the flow as runnable: a host has died between the first answer and the second question.
  private func interrupted() async throws {
    let dying = FaultyStore(store)
    let host = FlowHost(store: dying, clock: clock, owner: "dying")
    try await host.register(flow).start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    let commit = dying.count(of: .commit) + 1
    dying.plan { $0.operation == .commit && $0.numberOfOperation > commit ? .fail(.unavailable) : nil }
    try await host.flow("x").answer(Form.self, with: "1")
    await host.isQuiet()
    #expect(try await store.load("x")?.snapshot.status == .runnable)
    #expect(!isLeased)
  }

  @Test("a claimed flow runs until it waits, is given back, and does not stay in memory", arguments: [0, 60])
  func claimed(_ keepHot: Int) async throws {
    try await interrupted()
    let host = try await host(keepHot: .seconds(keepHot))
    let epoch = try await store.attach(owner: "worker", for: .seconds(60))
    let claims = try await store.claimDue(under: epoch, serving: ["f": 1...1], limit: 10)
    #expect(claims.map(\.lease.id) == ["x"])
    let view = try await host.work(on: claims[0])
    #expect(view.status == .waiting && view.steps == ["f/b"])
    #expect(await host.live.isEmpty && !isLeased)
    #expect(log.all.contains("work"))
    try await host.flow("x").answer(Form.self, with: "2")
    #expect(try await host.flow("x").settled().status == .finished)
  }

  @Test("a flow that waits is given back unchanged, and so is one that has ended")
  func nothingToDo() async throws {
    let host = try await host()
    try await interrupted()
    let epoch = try await store.attach(owner: "worker", for: .seconds(60))
    try await host.work(on: store.acquire("x", under: epoch))
    let waiting = try await store.load("x")
    #expect(try await host.work(on: store.acquire("x", under: epoch)).status == .waiting)
    #expect(try await store.load("x") == waiting && !isLeased)
    try await host.flow("x").answer(Form.self, with: "2")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    let ended = try await store.load("x")
    #expect(try await host.work(on: store.acquire("x", under: epoch)).status == .finished)
    #expect(try await store.load("x") == ended && !isLeased)
  }

  @Test("a lease that was lost changes nothing, and the error says so")
  func lost() async throws {
    try await interrupted()
    let host = try await host()
    let epoch = try await store.attach(owner: "worker", for: .seconds(60))
    let leased = try await store.acquire("x", under: epoch)
    try await store.release(leased.lease)
    let before = try await store.load("x")
    let error = await #expect(throws: FlowStoreError.self) { try await host.work(on: leased) }
    #expect(error?.code == .fenced)
    #expect(try await store.load("x") == before)
    #expect(await host.live.isEmpty)
  }

  @Test("a lease of a flow that does not exist is given back")
  func missing() async throws {
    let host = try await host()
    let epoch = try await store.attach(owner: "worker", for: .seconds(60))
    let leased = try await store.acquire("x", under: epoch)
    #expect(await code { try await host.work(on: leased) } == .noSuchFlow)
    #expect(!isLeased)
  }
}
