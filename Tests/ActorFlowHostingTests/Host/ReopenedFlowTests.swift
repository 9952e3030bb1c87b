import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// A flow that is about to be passivated is opened again if it has something to do after all.
@Suite("Flows that are opened again", .timeLimit(.minutes(15))) struct ReopenedFlowTests {
  @Test("a request that was turned away just before the flow was opened again does not wait for the next time")
  func openedBetween() async throws {
    let clock = ManualWallClock()
    var options = FlowHost.Options()
    options.keepHot = .seconds(60)
    let host = try FlowHost(store: MemoryFlowStore(clock: clock), clock: clock, options: options)
    let flow = Flow<String, String>("f") {
      Step("ask") { (_: String, context: StepContext) in try await context.ask(Form(text: "?")) }
    }
    try await host.register(flow).start(id: "t", with: "-")
    _ = try await host.flow("t").settled()
    let live = try #require(await host.live["t"])

    _ = live.close(evenIfUsed: true)
    #expect(await !live.enter())
    live.reopen()
    await live.isGoneOrOpen()
    #expect(await live.enter())
    live.leave()

    try await host.flow("t").answer(Form.self, with: "yes")
    #expect(try await host.flow("t").settled().status == .finished)
  }
}
