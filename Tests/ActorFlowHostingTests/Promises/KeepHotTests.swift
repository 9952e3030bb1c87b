import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Flows that stay in memory for a while", .timeLimit(.minutes(15))) struct KeepHotTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let log = Log()

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  private func host() async throws -> (FlowHost, RegisteredFlow<String, String>) {
    var options = FlowHost.Options()
    options.keepHot = .seconds(60)
    let host = try FlowHost(store: store, clock: clock, options: options)
    let flow = Flow<String, String>("f") {
      Step("a") { Asker(log) }
      Step("b") { Asker(log) }
    }
    return (host, try await host.register(flow))
  }

  @Test("a waiting flow stays in memory for this time, then it is passivated, and activated by the next request")
  func passivatedAfterTime() async throws {
    let (host, flows) = try await host()
    try await flows.start(id: "f", with: "-")
    _ = try await host.flow("f").settled()
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(59))
    #expect(await host.live.count == 1)
    clock.advance(by: .seconds(1))
    await host.isQuiet()
    #expect(log.all == ["made"])
    try await host.answerNext("f", "\"1\"")
    #expect(log.all == ["made", "made", "made"])
    try await host.shutDown()
  }

  @Test("an answer finds the step that asked, and keeps the flow in memory for the same time again")
  func answered() async throws {
    let (host, flows) = try await host()
    try await flows.start(id: "f", with: "-")
    _ = try await host.flow("f").settled()
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(59))
    try await host.answerNext("f", "\"1\"")
    #expect(log.all == ["made", "made"])
    clock.advance(by: .seconds(1))
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(59))
    #expect(await host.live.count == 1)
    try await host.answerNext("f", "\"2\"")
    #expect(log.all == ["made", "made"])
    #expect(try await flows.outcome(of: "f") == .finished("-12"))
    // An ended flow waits for nothing.
    await host.isQuiet()
  }

  @Test("a host that is stopped passivates the flows it keeps in memory at once")
  func stopped() async throws {
    let (host, flows) = try await host()
    try await flows.start(id: "f", with: "-")
    _ = try await host.flow("f").settled()
    let before = try await store.load("f")
    try await host.shutDown()
    #expect(await host.live.isEmpty)
    #expect(try await store.load("f") == before)
    let (second, again) = try await self.host()
    try await second.answerNext("f", "\"1\"")
    try await second.answerNext("f", "\"2\"")
    #expect(try await again.outcome(of: "f") == .finished("-12"))
  }

  @Test("a request to a flow that is suspended while another branch asks does not wait until this time is over")
  func suspendedBranch() async throws {
    let (host, _) = try await host()
    let flow = Flow<String, String>("forked") {
      Parallel {
        Step("fail") { (input: String, context: StepContext) -> String in
          _ = try await context.ask(Form(text: input))
          throw Boom()
        }
        Step("ask") { Asker(log) }
      } join: {
        $0 + $1
      }
    }
    try await host.register(flow).start(id: "f", with: "-")
    let question = try await host.flow("f").settled().questions.first { $0.step.name == "fail" }?.id
    // The flow stays in memory from now on.
    try await clock.waitForSleepers()
    try await host.flow("f").answer(try #require(question), with: "x")
    #expect(try await host.flow("f").settled().status == .suspended)
    // No test moves the clock.
    try await host.flow("f").retry()
    try await host.flow("f").abandon()
    #expect(try await host.flow("f").view().status == .abandoned)
  }

  @Test("a host that is stopped passivates at once a flow that was answered while it stayed in memory")
  func stoppedAfterAnswer() async throws {
    let (host, flows) = try await host()
    try await flows.start(id: "f", with: "-")
    _ = try await host.flow("f").settled()
    try await clock.waitForSleepers()
    try await host.answerNext("f", "\"1\"")
    try await host.shutDown()
    #expect(await host.live.isEmpty)
  }
}
