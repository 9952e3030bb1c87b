import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Idempotency keys of hosted flows", .timeLimit(.minutes(15))) struct HostedKeyTests {
  private let keys = Log()

  /// Charges, asks, and charges again.
  private var flow: Flow<String, String> {
    Flow("order") {
      Step("pay") { [keys] (input: String, context: StepContext) in
        try await context.once("charge") { keys.add($0) }
        let answer = try await context.ask(Form(text: ""))
        try await context.once("rest") { keys.add($0) }
        return input + answer
      }
    }
  }

  private func host(_ store: MemoryFlowStore) async throws -> (FlowHost, RegisteredFlow<String, String>) {
    let host = FlowHost(store: store)
    return (host, try await host.register(flow))
  }

  /// Runs an order from its start to its end.
  private func run(_ host: FlowHost, _ flows: RegisteredFlow<String, String>, seed: String? = nil) async throws {
    try await flows.start(id: "order-1", with: "-", effectSeed: seed)
    try await host.answerNext("order-1", #""y""#)
    await host.isQuiet()
  }

  private static func readable(_ keys: [String]) -> [String] { keys.map { String($0.dropLast(25)) } }

  @Test("an order that is deleted and started again has other keys, as has the same order in another store")
  func startedAgain() async throws {
    let (first, flows) = try await host(MemoryFlowStore())
    try await run(first, flows)
    try await first.flow("order-1").delete()
    try await run(first, flows)
    let (second, others) = try await host(MemoryFlowStore())
    try await run(second, others)
    #expect(Self.readable(keys.all) == ["order-1/order/pay/1/charge", "order-1/order/pay/1/rest"] * 3)
    #expect(Set(keys.all).count == 6)
    #expect(Set(keys.all.map { $0.suffix(24) }).count == 3, "one start, one name")
  }

  @Test("a start that is delivered again after a deletion repeats no effect if it names the order as its seed")
  func seeded() async throws {
    let (first, flows) = try await host(MemoryFlowStore())
    try await run(first, flows, seed: "order 1 of Ann")
    try await first.flow("order-1").delete()
    try await run(first, flows, seed: "order 1 of Ann")
    let (second, others) = try await host(MemoryFlowStore())
    try await run(second, others, seed: "order 1 of Bob")
    #expect(keys.all.count == 6 && keys.all.prefix(2) == keys.all.dropFirst(2).prefix(2))
    #expect(Set(keys.all).count == 4, "another seed, other keys")
    // The digest is part of stored flows and of keys that providers remember: it never changes.
    #expect(keys.all[0] == "order-1/order/pay/1/charge/9f2fef2dbee3fc31f08f3a77")
  }

  @Test("a restored store continues under its own keys: effects since the backup are requested under the same keys")
  func restored() async throws {
    let store = MemoryFlowStore()
    let (first, flows) = try await host(store)
    try await flows.start(id: "order-1", with: "-")
    _ = try await first.flow("order-1").settled()
    await first.isQuiet()
    let backup = try #require(try await store.load("order-1"))
    let copy = MemoryFlowStore()
    _ = try await copy.commit(
      FlowWrite(backup.snapshot, to: "order-1", expecting: .none))
    let (second, _) = try await host(copy)
    for host in [first, second] { try await host.answerNext("order-1", #""y""#) }
    #expect(Self.readable(keys.all) == ["charge", "rest", "rest"].map { "order-1/order/pay/1/\($0)" })
    #expect(keys.all[1] == keys.all[2])
  }

  @Test("a flow stored without key bits continues with its former keys, in each process")
  func storedBefore() async throws {
    let store = MemoryFlowStore()
    let (first, flows) = try await host(store)
    try await flows.start(id: "order-1", with: "-")
    _ = try await first.flow("order-1").settled()
    await first.isQuiet()
    let stored = try #require(try await store.load("order-1"))
    var (snapshot, state) = (stored.snapshot, try HostedState(of: stored.snapshot))
    #expect(state.machine.keyBits != nil)
    state.machine.keyBits = nil
    try state.write(to: &snapshot, apart: nil, with: .plain)
    for _ in 1...2 {
      let copy = MemoryFlowStore()
      _ = try await copy.commit(FlowWrite(snapshot, to: "order-1", expecting: .none))
      let (second, _) = try await host(copy)
      try await second.answerNext("order-1", #""y""#)
      await second.isQuiet()
    }
    #expect(keys.all.suffix(2) == ["order-1/order/pay/1/rest", "order-1/order/pay/1/rest"])
  }

  @Test("an effect that is retried, and its rollback, have the key it began with")
  func triedAgain() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let flow = Flow<String, String>("order") { Step("pay") { Refused(keys) } }
    try await host.register(flow).start(id: "order-1", with: "-")
    for _ in 1...2 {
      #expect(try await host.flow("order-1").settled().status == .suspended)
      await host.isQuiet()
      try await host.flow("order-1").retry()
    }
    #expect(try await host.flow("order-1").settled().status == .suspended)
    try await host.flow("order-1").abandon()
    #expect(keys.all.count == 4 && Set(keys.all).count == 1)
  }

  @Test("a flow whose backUp failed keeps its bits after its end: a second rollback starts no effect under another key")
  func secondRollback() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let flow = Flow<String, String>("order") {
      Step("pay") { Refunder(keys) }
      Step("ask") { Asker() }
    }
    try await host.register(flow).start(id: "order-1", with: "-")
    _ = try await host.flow("order-1").settled()
    #expect(await code { try await host.flow("order-1").abandon() } == .rollbackFailed)
    await host.isQuiet()
    try await host.flow("order-1").retry()
    await host.isQuiet()
    #expect(try await host.flow("order-1").view().rollbackFailed == false)
    #expect(Self.readable(keys.all) == ["refund", "refund", "receipt"].map { "order-1/order/pay/1/\($0)" })
    #expect(Set(keys.all.map { $0.suffix(24) }).count == 1 && Set(keys.all).count == 2)
  }

  /// An effect that always fails.
  private actor Refused: FlowStep {
    private let keys: Log
    init(_ keys: Log) { self.keys = keys }

    func proceed(_ input: String, context: StepContext) async throws -> String {
      try await context.once("charge") { [keys] key -> String in
        keys.add(key)
        throw Boom()
      }
    }

    func backUp(context: RollbackContext) async {
      if case .interrupted(let key) = await context.record("charge", as: String.self) { keys.add(key) }
    }
  }

  /// A refund that fails the first time.
  private actor Refunder: FlowStep {
    private let keys: Log
    init(_ keys: Log) { self.keys = keys }

    func proceed(_ input: String, context: StepContext) -> String { input }

    func backUp(context: RollbackContext) async throws {
      try await context.once("refund") { [keys] key in
        keys.add(key)
        if keys.all.count == 1 { throw Boom() }
      }
      try await context.once("receipt") { [keys] in keys.add($0) }
    }
  }
}

private func * (list: [String], count: Int) -> [String] { (0..<count).flatMap { _ in list } }
