import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

/// Idle times of flows that are passivated while they run.
@Suite("Hosted flows that expire", .timeLimit(.minutes(15))) struct IdleHostTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let log = Log()
  private static let go = Signal<String>("go")

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  private var asking: Flow<String, String> {
    Flow("f") { Step("a") { [log] in Asker(log) } }.expires(afterIdle: .seconds(100))
  }

  private var waiting: Flow<String, String> {
    Flow("f") {
      Step("a") { (input: String, context: StepContext) in
        let first = try await context.wait(for: Self.go)
        return "\(input)\(first)\(try await context.wait(for: Self.go))"
      }
    }
    .expires(afterIdle: .seconds(100))
  }

  private func host(_ flow: Flow<String, String>) async throws -> FlowHost {
    let host = FlowHost(store: store, clock: clock, owner: "host")
    try await host.register(flow)
    return host
  }

  private func start(_ flow: Flow<String, String>) async throws -> FlowHost {
    let host = FlowHost(store: store, clock: clock, owner: "host")
    try await host.register(flow).start(id: "f", with: "-")
    try await host.catchUp()
    #expect(try await host.flow("f").view().status == .waiting)
    return host
  }

  @Test("a flow that waits only for a signal expires; a received signal restarts the idle time")
  func signal() async throws {
    var host = try await start(waiting)
    clock.advance(by: .seconds(99))
    try await host.flow("f").send("1", to: Self.go, key: "1")
    try await host.catchUp()
    clock.advance(by: .seconds(99))
    host = try await self.host(waiting)
    try await host.catchUp()
    #expect(try await host.flow("f").view().status == .waiting)
    clock.advance(by: .seconds(1))
    try await host.catchUp()
    #expect(try await host.flow("f").view().status == .abandoned)
  }

  @Test("an answer after the time is refused, also by a host that has just started, and the flow expires")
  func answer() async throws {
    let first = try await start(asking)
    let question = try #require(try await first.flow("f").view().questions.first?.id)
    clock.advance(by: .seconds(100))
    let second = try await host(asking)
    let refused = await code { try await second.flow("f").answer(question, json: #""late""#.utf8) }
    #expect(refused == .questionClosed || refused == .flowEnded)
    #expect(await code { try await second.flow("f").answer(Form.self, with: "later") } != nil)
    try await second.catchUp()
    #expect(try await second.flow("f").view().status == .abandoned)
    #expect(try await second.flow("f").view().reason?.contains("nobody has answered") == true)
    #expect(try await !second.flow("f").history().map(\.what).contains("answered"))
    #expect(log.all.count { $0 == "undo a" } == 1)
  }

  @Test("when an answer and the timer fall on the same instant, the answer is refused each time")
  func race() async throws {
    for _ in 1...20 {
      let store = MemoryFlowStore(clock: clock)
      var options = FlowHost.Options()
      options.keepHot = .seconds(1_000)
      let host = try FlowHost(store: store, clock: clock, options: options)
      try await host.register(asking).start(id: "f", with: "-")
      let question = try #require(try await host.flow("f").settled().questions.first?.id)
      clock.advance(by: .seconds(100))
      #expect(await code { try await host.flow("f").answer(question, json: #""late""#.utf8) } != nil)
      while try await host.flow("f").view().status != .abandoned { await Task.yield() }
      try await host.shutDown()
    }
  }
}
