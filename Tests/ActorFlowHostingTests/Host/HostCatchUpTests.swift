import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Hosts that run only now and then", .timeLimit(.minutes(15))) struct HostCatchUpTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let log = Log()

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  /// Allows a day for the answer, then asks a second question.
  private var flow: Flow<String, String> {
    Flow("f") {
      Step("ask") { [log] (input: String, context: StepContext) in
        let answer = try await context.ask(Form(text: input), within: .seconds(86_400))
        log.add("\(context.flow) \(answer ?? "late")")
        return answer ?? "late"
      }
      Step("approve") { (input: String, context: StepContext) in
        _ = try await context.ask(Approval(amount: 1, assignees: ["ann", "bob"], due: nil))
        return input
      }
    }
  }

  @Test("due flows and flows left behind by a crash are activated, the longest due first, and none stays in memory")
  func catchUp() async throws {
    let first = FlowHost(store: store, clock: clock)
    let flows = try await first.register(flow)
    for id in ["b", "a"] as [FlowID] {
      try await flows.start(id: id, with: "-")
      try await first.catchUp()
      clock.advance(by: .seconds(60))
    }
    try await flows.start(id: "c", with: "-")
    let second = FlowHost(store: store, clock: clock)
    try await second.register(flow)
    #expect(try await first.catchUp().isEmpty)
    clock.advance(by: .seconds(86_400 - 60))
    #expect(try await second.catchUp().isEmpty)
    #expect(log.all == ["b late", "a late"])
    #expect(await second.live.isEmpty)
    #expect(try await second.flow("a").view().questions.map(\.assignees) == [["ann", "bob"]])
    #expect(try await second.flow("c").view().questions.map(\.prompt) == ["ActorFlowHostingTests.Form"])
  }

  @Test("a flow that cannot be activated is reported with the reason and stays unchanged")
  func refused() async throws {
    let first = FlowHost(store: store, clock: clock)
    try await first.register(flow).start(id: "f", with: "-")
    try await first.catchUp()
    clock.advance(by: .seconds(86_400))
    let before = try await store.load("f")
    let stranger = FaultyStore(store) { call in call.operation == .acquire ? .fail(.corrupted) : nil }
    let second = FlowHost(store: stranger, clock: clock)
    try await second.register(flow)
    let refused = try await second.catchUp()
    #expect(refused.keys.map(\.description) == ["f"])
    #expect((refused["f"] as? FlowStoreError)?.code == .corrupted)
    #expect(try await store.load("f") == before)
  }

  @Test("the history names the assignee of a question")
  func people() async throws {
    let host = FlowHost(store: store, clock: clock)
    try await host.register(flow).start(id: "f", with: "-")
    try await host.answerNext("f", "\"yes\"")
    let asked = try await host.flow("f").history().filter { $0.what == "asked" }
    #expect(asked.last?.detail?.hasPrefix("Approval f/1/2 ") == true)
    #expect(asked.last?.detail?.hasSuffix(" for ann, bob") == true)
    #expect(asked.first?.detail?.contains(" for ") == false)
  }

  @Test("a host that has stopped does not catch up")
  func stopped() async throws {
    let host = FlowHost(store: store, clock: clock)
    try await host.shutDown()
    #expect(await code { try await host.catchUp() } == .hostStopping)
  }
}
