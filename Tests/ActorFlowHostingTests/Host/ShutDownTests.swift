import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

/// Hosts that are stopped without ever having run.
@Suite("Shutting a host down", .timeLimit(.minutes(15))) struct ShutDownTests {
  private let store = MemoryFlowStore()
  /// No time passes, so that no grace period is over before the steps have returned, however busy the machine is.
  private let clock = ManualWallClock()
  private let flow = Flow<String, String>("f") { Step("a") { Asker() } }

  @Test("a host that is shut down takes no requests, and another one has its flows at once")
  func stopped() async throws {
    var options = FlowHost.Options()
    options.keepHot = .seconds(60)
    let (first, second) = (
      try FlowHost(store: store, clock: clock, options: options), FlowHost(store: store, clock: clock)
    )
    try await first.register(flow).start(id: "x", with: "-")
    let flows = try await second.register(flow)
    let question = try #require(try await first.flow("x").settled().questions.first?.id)
    try await first.shutDown()
    let error = await #expect(throws: FlowError.self) { try await first.flow("x").answer(question, with: "late") }
    #expect(error?.code == .hostStopping)
    try await second.flow("x").answer(question, with: "done")
    #expect(try await second.flow("x").settled().status == .finished)
    #expect(try await flows.outcome(of: "x") == .finished("-done"))
    try await first.shutDown()
  }

  @Test("the streams of a host that is shut down end")
  func streams() async throws {
    let host = FlowHost(store: store, clock: clock)
    try await host.register(flow).start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    let events = host.flow("x").events
    try await host.shutDown()
    for await _ in events {}
  }

  @Test("a host that runs is not shut down")
  func running() async throws {
    let host = FlowHost(store: store, clock: clock)
    let flows = try await host.register(flow)
    try await flows.start(id: "x", with: "-")
    let run = Task { try await host.run() }
    while await !host.health().isRunning { await Task.yield() }
    let error = await #expect(throws: FlowError.self) { try await host.shutDown() }
    #expect(error?.code == .alreadyRunning)
    #expect(try await host.flow("x").settled().status == .waiting)
    run.cancel()
    try await run.value
  }
}
