import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Keys of signals", .timeLimit(.minutes(15))) struct SignalKeyTests {
  private let store = MemoryFlowStore()
  private let paid = Signal<Int>("paid")
  private let shipped = Signal<Int>("shipped")

  /// Waits for two payments, then for a parcel.
  private var flow: Flow<Int, Int> {
    Flow("order") {
      Step("pay") { [paid] (_: Int, context: StepContext) in
        try await context.wait(for: paid) + context.wait(for: paid)
      }
      Step("check") { (sum: Int, context: StepContext) in
        _ = try await context.ask(Form(text: "\(sum)"))
        return sum
      }
      Step("ship") { [shipped] (sum: Int, context: StepContext) in try await sum * context.wait(for: shipped) }
    }
  }

  private func host() async throws -> (FlowHost, RegisteredFlow<Int, Int>) {
    var options = FlowHost.Options()
    // Two hosts wish for one flow in turn, which takes its time where many tests run at once.
    options.requestTime = .seconds(600)
    let host = try FlowHost(store: store, options: options)
    return (host, try await host.register(flow))
  }

  /// The outcome for each of two values sent under the key of the first of them.
  private func isOnce(_ host: FlowHost, _ value: Int, _ key: String) async throws {
    let before = try await store.load("o")?.revision
    #expect(try await host.flow("o").send(value, to: paid, key: key) == .duplicate)
    let error = await #expect(throws: FlowError.self) { try await host.flow("o").send(value + 1, to: paid, key: key) }
    #expect(error?.code == .keyReused && error?.message.contains("\"\(key)\"") == true)
    #expect(try await store.load("o")?.revision == before, "nothing is written")
  }

  @Test(
    "the same signal is a duplicate and another is refused: while buffered, after receipt, elsewhere, after the end")
  func sentAgain() async throws {
    let (first, orders) = try await host()
    try await orders.start(id: "o", with: 0)
    #expect(try await first.flow("o").send(2, to: paid, key: "a") == .accepted)
    _ = try await first.flow("o").settled()
    await first.isQuiet()
    try await isOnce(first, 2, "a")
    #expect(try await first.flow("o").send(3, to: paid, key: "b") == .accepted)
    #expect(try await first.flow("o").send(4, to: paid, key: "c") == .accepted, "buffered, and never received")
    _ = try await first.flow("o").settled()
    await first.isQuiet()
    for (value, key) in [(2, "a"), (3, "b"), (4, "c")] { try await isOnce(first, value, key) }
    let (second, again) = try await host()
    for (value, key) in [(2, "a"), (3, "b"), (4, "c")] { try await isOnce(second, value, key) }
    try await second.answerNext("o", "\"yes\"")
    #expect(try await second.flow("o").send(10, to: shipped, key: "d") == .accepted)
    #expect(try await second.flow("o").settled().status == .finished)
    #expect(try await again.outcome(of: "o") == .finished(50))
    await second.isQuiet()
    for (value, key) in [(2, "a"), (3, "b"), (4, "c")] { try await isOnce(second, value, key) }
    #expect(try await second.flow("o").send(5, to: paid, key: "e") == .flowEnded)
  }

  @Test("a key belongs to one signal, and to no answer")
  func separate() async throws {
    let (host, orders) = try await host()
    try await orders.start(id: "o", with: 0)
    #expect(try await host.flow("o").send(2, to: paid, key: "k") == .accepted)
    #expect(try await host.flow("o").send(10, to: shipped, key: "k") == .accepted)
    #expect(try await host.flow("o").send(3, to: paid, key: "l") == .accepted)
    try await host.answerNext("o", "\"yes\"", key: "k")
    #expect(try await host.flow("o").settled().status == .finished)
    #expect(try await orders.outcome(of: "o") == .finished(50))
  }

  @Test("of many signals sent at once under one key one is accepted; equal ones are duplicates, others are refused")
  func atOnce() async throws {
    let hosts = [try await host(), try await host()]
    for round in 0..<20 {
      let id = FlowID("o\(round)")
      try await hosts[0].1.start(id: id, with: 0)
      let results = try await withThrowingTaskGroup(of: (Int, Delivery?).self) { group in
        for number in 0..<8 {
          group.addTask { [paid] in
            do {
              return (number % 2, try await hosts[number / 4].0.send(number % 2, to: paid, of: id, key: "k"))
            } catch let error as FlowError where error.code == .keyReused { return (number % 2, nil) }
          }
        }
        return try await group.reduce(into: [(Int, Delivery?)]()) { $0.append($1) }
      }
      let taken = results.filter { $0.1 == .accepted }.map(\.0)
      #expect(taken.count == 1)
      for (value, delivery) in results where delivery != .accepted {
        #expect(delivery == (value == taken.first ? .duplicate : nil))
      }
    }
  }

  @Test("a key whose signal's value is unknown makes a duplicate of any value sent under it")
  func forgotten() async throws {
    let (first, orders) = try await host()
    try await orders.start(id: "o", with: 0)
    #expect(try await first.flow("o").send(2, to: paid, key: "k") == .accepted)
    _ = try await first.flow("o").settled()
    await first.isQuiet()
    // As a store has the key from a version before values were compared.
    let stored = try #require(try await store.load("o"))
    var (snapshot, state) = (stored.snapshot, try HostedState(of: stored.snapshot))
    state.requests = []
    try state.write(to: &snapshot, apart: nil, with: .plain)
    let lease = try await store.acquire("o", owner: "test", for: .seconds(60))
    let old = try await store.commit(
      FlowWrite(snapshot, to: "o", expecting: stored.revision, fence: lease.fence))
    try await store.release(lease)
    for value in [3, 2, 3] { #expect(try await first.flow("o").send(value, to: paid, key: "k") == .duplicate) }
    #expect(try await store.load("o") == old)
  }

  @Test("many signals do not make a flow forget the keys of its answers")
  func manySignals() async throws {
    let (host, orders) = try await host()
    try await orders.start(id: "o", with: 0)
    for number in 1...2 { _ = try await host.flow("o").send(number, to: paid, key: "p\(number)") }
    let question = try #require(try await host.flow("o").settled().questions.first?.id)
    try await host.flow("o").answer(question, with: "yes", key: "answer")
    for number in 0..<990 { _ = try await host.flow("o").send(0, to: paid, key: "\(number)") }
    await host.isQuiet()
    var state = try await host.stored("o").1
    for number in 990..<1_100 { state.apply(.signal("paid", [], key: "\(number)", by: nil)) }
    #expect(state.requests.count == AppliedRequest.capacity + 1)
    #expect(state.applied("answer") != nil)
  }
}
