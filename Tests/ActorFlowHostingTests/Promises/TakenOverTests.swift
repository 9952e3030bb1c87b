import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Flows that another host took over", .timeLimit(.minutes(15))) struct TakenOverTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let signal = Signal<Int>("s")

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  private let flow = Flow<String, String>("f") {
    Step("a") { Asker() }
    Step("b") { Asker() }
    Step("c") { Asker() }
  }

  /// A host that keeps its flows in memory, and does not know that its leases have ended.
  private func host(_ owner: String, on faulty: FaultyStore<MemoryFlowStore>? = nil) async throws -> FlowHost {
    var options = FlowHost.Options()
    options.keepHot = .seconds(3_600)
    let host =
      if let faulty {
        try FlowHost(store: faulty, clock: clock, owner: owner, options: options)
      } else {
        try FlowHost(store: store, clock: clock, owner: owner, options: options)
      }
    try await host.register(flow)
    return host
  }

  /// A flow that is in memory at the first host, and that another host has since written.
  private func takenOver(on faulty: FaultyStore<MemoryFlowStore>? = nil) async throws -> FlowHost {
    let first = try await host("first", on: faulty)
    let flows = RegisteredFlow<String, String>(host: first, definition: try #require(await first.definitions["f"]?[1]))
    try await flows.start(id: "x", with: "-")
    _ = try await first.flow("x").settled()
    clock.advance(by: .seconds(31))
    let second = try await host("second")
    try await second.answerNext("x", "\"1\"")
    try await second.shutDown()
    #expect(await first.live.count == 1)
    return first
  }

  @Test("a request to a host that has lost its lease is carried out on the current state of the flow")
  func one() async throws {
    let first = try await takenOver()
    let question = try #require(try await first.flow("x").view().questions.first?.id)
    #expect(try await first.flow("x").answer(question, with: "2").revision > Revision(1))
    try await first.answerNext("x", "\"3\"")
    #expect(try await first.flow("x").view().status == .finished)
  }

  @Test("many such requests at once are carried out once each")
  func many() async throws {
    let (first, signal) = (try await takenOver(), signal)
    await withTaskGroup { group in
      for number in 0..<40 {
        group.addTask {
          do {
            let delivery = try await first.flow("x").send(number, to: signal, key: "\(number)")
            #expect(delivery == .accepted)
          } catch { Issue.record("\(error)") }
        }
      }
    }
    let state = try await first.stored("x").1
    #expect(state.machine.signals.buffer.count == 40)
    try await first.shutDown()
  }

  /// Seed 8 of the hosts in disorder: a question that the other host had asked was "never asked".
  @Test("while the store does not answer, no request is refused by what the host remembers of the flow")
  func away() async throws {
    let faulty = FaultyStore(store)
    let first = try await takenOver(on: faulty)
    let question = try #require(try await first.flow("x").view().questions.first?.id)
    faulty.plan { $0.operation == .load ? .fail(.unavailable) : nil }
    let error = await #expect(throws: FlowStoreError.self) { try await first.flow("x").answer(question, with: "2") }
    #expect(error?.code == .unavailable)
    faulty.plan { _ in nil }
    try await first.flow("x").answer(question, with: "2")
    try await first.answerNext("x", "\"3\"")
    #expect(try await first.flow("x").view().status == .finished)
  }

  @Test("a question that was answered elsewhere is closed")
  func closed() async throws {
    let first = try await host("first")
    let flows = RegisteredFlow<String, String>(host: first, definition: try #require(await first.definitions["f"]?[1]))
    try await flows.start(id: "x", with: "-")
    let question = try #require(try await first.flow("x").settled().questions.first?.id)
    clock.advance(by: .seconds(31))
    let second = try await host("second")
    try await second.answerNext("x", "\"1\"")
    try await second.shutDown()
    let refused = await code { try await first.flow("x").answer(question, with: "2") }
    #expect(refused == .questionClosed || refused == .noSuchQuestion)
    try await first.answerNext("x", "\"2\"")
    try await first.shutDown()
  }
}
