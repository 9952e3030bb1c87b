import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

/// Flows that an operator has move to the newest version at once.
@Suite("Moves by hand", .timeLimit(.minutes(15))) struct MovedByHandTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let log = Log()
  private let isDown = Variable(true)
  private let cleo = Principal(id: "cleo")

  init() { store = MemoryFlowStore(clock: clock) }

  /// Asks in its first version, and asks otherwise in its second.
  private func asking(_ text: String) -> Flow<String, String> {
    Flow("asking") { [log] in
      Step("ask") { (input: String, context: StepContext) in
        try await context.once("count") { _ in log.add("counted") }
        return input + (try await context.ask(Form(text: text)))
      }
    }
  }

  /// Waits for a signal, and asks nothing.
  private var listening: Flow<String, String> {
    Flow("listening") {
      Step("listen") { (_: String, context: StepContext) in try await context.wait(for: Signal<String>("s")) }
    }
  }

  /// Fails until it is mended.
  private var failing: Flow<String, String> {
    Flow("failing") { [isDown] in
      Step("pay") { (input: String) in
        if isDown.value { throw Boom() }
        return input
      }
    }
  }

  /// Begins a flow of each kind in version 1.
  private func begin() async throws {
    let host = FlowHost(store: store, clock: clock)
    for (name, flow) in [("asking", asking("old")), ("listening", listening), ("failing", failing)] {
      try await host.register(flow).start(id: FlowID(name), with: "-")
      _ = try await host.flow(FlowID(name)).settled()
    }
    await host.isQuiet()
  }

  private func deployed(on store: any FlowStore) async throws -> FlowHost {
    // A host that is restarted under its name takes over at once.
    let host = FlowHost(store: store, clock: clock, owner: "host")
    for flow in [asking("new"), listening, failing] { try await host.register(flow, version: 2, from: 1) }
    return host
  }

  @Test("a waiting flow asks its new question at once, and the history says who moved it and why")
  func waiting() async throws {
    try await begin()
    let host = try await deployed(on: store)
    let flow = host.flow("asking", by: cleo)
    let before = try await flow.view()
    for _ in 0..<2 {
      let moved = try await flow.move(reason: "deployed", key: "1")
      #expect(moved.version == 2 && moved.status == .waiting)
      #expect(moved.questions.map(\.id) == before.questions.map(\.id))
      #expect(try moved.questions.map { try $0.prompt(as: Form.self).text } == ["new"])
    }
    #expect(await code { try await flow.move(reason: "other", key: "1") } == .keyReused)
    #expect(try await flow.move(reason: "again").version == 2)
    let entries = try await flow.history().filter { $0.what.hasPrefix("moved") && $0.detail != nil }
    #expect(
      entries.map { "\($0.what) \($0.by ?? "-") \($0.detail ?? "-")" } == [
        "moved - 1 → 2", "movedByHand cleo deployed",
      ])
    #expect(log.all == ["counted"])
    try await host.answerNext("asking", "\"a\"")
    #expect(try await flow.settled().status == .finished)
  }

  @Test("a flow that asks nothing moves, and a suspended one moves and stays suspended until it is retried")
  func withoutQuestion() async throws {
    try await begin()
    let host = try await deployed(on: store)
    let listening = try await host.flow("listening").move()
    #expect(listening.version == 2)
    #expect(try await host.flow("listening").settled().status == .waiting)
    let failing = try await host.flow("failing").move(reason: "deployed", by: cleo)
    #expect(failing.version == 2 && failing.status == .suspended)
    await host.isQuiet()
    #expect(try await host.list().flows.map(\.version) == [1, 2, 2])
    isDown.value = false
    try await host.flow("failing").retry()
    #expect(try await host.flow("failing").settled().status == .finished)
    try await host.flow("listening").send("x", to: Signal<String>("s"), key: "1")
    #expect(try await host.flow("listening").settled().status == .finished)
  }

  @Test("a flow that stays is not changed; one that fits no version, has ended, or is not there is refused")
  func refused() async throws {
    try await begin()
    let same = FlowHost(store: store, clock: clock)
    for flow in [asking("old"), listening] { try await same.register(flow) }
    let before = try await store.load("asking")
    #expect(try await same.flow("asking").move(reason: "nothing to do").version == 1)
    await same.isQuiet()
    #expect(try await store.load("asking") == before)
    #expect(await code { try await same.flow("failing").move() } == .unmigrated)
    #expect(await code { try await same.flow("nobody").move() } == .noSuchFlow)
    #expect(await code { try await same.flow("asking").move(reason: "\0") } == .notStorable)
    #expect(
      await code { try await same.flow("asking").move(reason: String(repeating: "a", count: 1_025)) } == .tooLarge)
    try await same.flow("listening").abandon()
    _ = try await same.flow("listening").settled()
    #expect(await code { try await same.flow("listening").move() } == .flowEnded)
  }

  @Test("a host that dies at any commit of a move has moved the flow or not, and nothing runs twice")
  func crashes() async throws {
    var deaths = 0
    for limit in 0..<4 {
      let tests = MovedByHandTests()
      try await tests.begin()
      let faulty = FaultyStore(tests.store) { call in
        call.operation == .commit && call.numberOfOperation > limit ? .fail(.unavailable) : nil
      }
      let dying = try await tests.deployed(on: faulty)
      for id in ["asking", "listening", "failing"] { _ = try? await dying.flow(FlowID(id)).move(key: "k") }
      deaths += faulty.count(of: .commit) > limit ? 1 : 0
      await dying.die()
      let next = try await tests.deployed(on: tests.store)
      for id in ["asking", "listening", "failing"] {
        let flow = next.flow(FlowID(id))
        #expect(try await flow.move(key: "k").version == 2, "\(id) after \(limit) commits")
        #expect(try await flow.history().count { $0.what == "movedByHand" } == 1, "\(id) after \(limit) commits")
        #expect(try await flow.settled().status == (id == "failing" ? .suspended : .waiting))
      }
      #expect(tests.log.all == ["counted"])
    }
    #expect(deaths > 1)
  }
}
