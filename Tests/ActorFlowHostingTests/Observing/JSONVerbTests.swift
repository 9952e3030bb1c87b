import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// The verbs of a server that knows no types.
@Suite("Verbs with names and JSON", .timeLimit(.minutes(15))) struct JSONVerbTests {
  private struct Order: Codable, Sendable, Equatable {
    var item: String
    var count: Int
  }

  private struct Paid: Codable, Sendable {
    var cents: Int
  }

  private let paid = Signal<Paid>("paid")

  private var flow: Flow<Order, Int> {
    Flow("order") {
      Step("wait") { [paid] (order: Order, context: StepContext) in
        order.count * (try await context.wait(for: paid, matching: { $0.cents > 0 }).cents)
      }
    }
  }

  private func host() async throws -> (FlowHost, RegisteredFlow<Order, Int>) {
    let host = FlowHost(store: MemoryFlowStore())
    return (host, try await host.register(flow, version: 3, stores: .signal(paid)))
  }

  @Test("a flow is started and gets its signal by names and JSON, as by types")
  func whole() async throws {
    let (host, flows) = try await host()
    let view = try await host.start("order", id: "x", json: #"{ "count" : 2, "item" : "pen" }"#.utf8)
    #expect(view.definition == "order" && view.version == 3)
    // The same start by its type changes nothing.
    #expect(try await flows.start(id: "x", with: Order(item: "pen", count: 2)).revision >= view.revision)
    #expect(await code { try await flows.start(id: "x", with: Order(item: "pen", count: 3)) } == .alreadyStarted)
    _ = try await host.flow("x").settled()
    let flow = host.flow("x")
    #expect(try await flow.send(json: #"{"cents": 0}"#.utf8, to: "paid", key: "0") == .accepted)
    #expect(try await flow.settled().status == .waiting, "it does not meet the condition")
    #expect(try await flow.send(json: #"{ "cents" : 21 }"#.utf8, to: "paid", key: "1") == .accepted)
    #expect(try await flow.settled().status == .finished)
    #expect(try await flow.send(json: #"{"cents":21}"#.utf8, to: "paid", key: "1") == .duplicate)
    #expect(try await flow.send(Paid(cents: 21), to: paid, key: "1") == .duplicate)
    #expect(await code { try await flow.send(json: #"{"cents":22}"#.utf8, to: "paid", key: "1") } == .keyReused)
    #expect(try await flows.outcome(of: "x") == .finished(42))
  }

  @Test("the example of the article")
  func example() async throws {
    let (host, flows) = try await host()
    let begun = try await host.start("order", id: "order-17", json: #"{"item":"pen","count":2}"#.utf8)
    try await host.flow("order-17").send(json: #"{"cents":21}"#.utf8, to: "paid", key: "event-4711")
    _ = try await host.flow("order-17").settled()
    #expect(begun.definition == "order")
    let seen = 0
    for try await entry in host.flow("order-17").news(after: seen) { print(entry.sequence, entry.what) }
    #expect(try await flows.outcome(of: "order-17") == .finished(42))
  }

  @Test("a signal that was sent as JSON is received after an activation, too")
  func buffered() async throws {
    let (host, flows) = try await host()
    try await host.start("order", id: "x", json: #"{"item":"pen","count":2}"#.utf8)
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    try await host.flow("x").send(json: #"{"cents":5}"#.utf8, to: "paid", key: "1")
    _ = try await host.flow("x").settled()
    #expect(try await flows.outcome(of: "x") == .finished(10))
  }

  @Test("what is unknown, undeclared, malformed or too large is refused with its code, and changes nothing")
  func refusals() async throws {
    var options = FlowHost.Options()
    options.maximumAnswerBytes = 40
    let store = MemoryFlowStore()
    let host = try FlowHost(store: store, options: options)
    try await host.register(flow, stores: .signal(paid))
    let order = #"{"item":"pen","count":2}"#
    #expect(await code { try await host.start("ordre", id: "x", json: order.utf8) } == .noSuchFlow)
    #expect(await code { try await host.start("order", id: "x", json: #"{"item":"pen"}"#.utf8) } == .typeMismatch)
    #expect(await code { try await host.start("order", id: "x", json: "{".utf8) } == .typeMismatch)
    let long = #"{"item":"\#(String(repeating: "p", count: 40))","count":2}"#
    #expect(await code { try await host.start("order", id: "x", json: long.utf8) } == .tooLarge)
    #expect(try await store.load("x") == nil)
    try await host.start("order", id: "x", json: order.utf8)
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    let before = try await store.load("x")
    let flow = host.flow("x")
    #expect(await code { try await flow.send(json: "1".utf8, to: "paid", key: "1") } == .typeMismatch)
    #expect(await code { try await flow.send(json: "1".utf8, to: "payed", key: "1") } == .badDefinition)
    #expect(await code { try await flow.send(json: long.utf8, to: "paid", key: "1") } == .tooLarge)
    #expect(await code { try await host.flow("y").send(json: "1".utf8, to: "paid", key: "1") } == .noSuchFlow)
    #expect(try await store.load("x") == before)
  }

  @Test("a flow without input is started with any JSON, or none")
  func noInput() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let flows = try await host.register(Flow<Void, Int>("tick") { Step("a") { (_: Void) in 1 } })
    try await host.start("tick", id: "x", json: [])
    _ = try await host.flow("x").settled()
    #expect(try await flows.outcome(of: "x") == .finished(1))
  }

  @Test("the registered definitions are listed with their versions, types and signals")
  func list() async throws {
    let (host, _) = try await host()
    try await host.register(flow, version: 4, from: 3, stores: .signal(paid) + .signal(Signal<Int>("due")))
    try await host.register(Flow<Void, Int>("tick") { Step("a") { (_: Void) in 1 } })
    let found = await host.registeredDefinitions()
    #expect(found.map(\.name) == ["order", "tick"])
    let versions = found[0].versions
    #expect(versions.map(\.version) == [3, 4] && versions.map(\.from) == [nil, 3])
    #expect(versions.map(\.signals) == [["paid"], ["due", "paid"]])
    #expect(versions[0].input == "Order" && versions[0].output == "Int" && found[1].versions[0].input == "()")
  }
}
