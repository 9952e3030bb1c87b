import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// The store has a flow's status twice: in the index and in the body. Where they differ, the body is right.
@Suite("Ended flows whose index says otherwise", .timeLimit(.minutes(15))) struct EndedRowTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  private var flow: Flow<String, String> {
    Flow("f") {
      Step("ask") { (_: String, context: StepContext) in
        let answer = try await context.ask(Form(text: "?"))
        if answer == "boom" { throw Boom() }
        return answer
      }
      .onFailure(.rollBack)
    }
  }

  private func ended(_ answer: String, _ wrong: FlowSnapshot.Status) async throws -> RegisteredFlow<String, String> {
    let host = FlowHost(store: store, clock: clock)
    let flows = try await host.register(flow)
    try await flows.start(id: "f", with: "")
    _ = try await host.flow("f").settled()
    if answer == "enough" {
      try await host.flow("f").abandon(reason: answer)
    } else {
      try await host.answerNext("f", "\"\(answer)\"")
    }
    await host.isQuiet()
    let stored = try #require(try await store.load("f"))
    var snapshot = stored.snapshot
    snapshot.status = wrong
    snapshot.wakeAt = clock.now
    let lease = try await store.acquire("f", owner: "test", for: .seconds(60))
    _ = try await store.commit(
      FlowWrite(snapshot, to: "f", expecting: stored.revision, fence: lease.fence))
    try await store.release(lease)
    return flows
  }

  @Test(
    "the view shows the ending, no request waits for it, and an activation repairs the index",
    arguments: [
      ("yes", FlowSnapshot.Status.finished), ("enough", .abandoned), ("boom", .failed),
    ], [FlowSnapshot.Status.runnable, .waiting, .unmigrated])
  func putRight(_ ending: (answer: String, status: FlowSnapshot.Status), _ wrong: FlowSnapshot.Status) async throws {
    let flows = try await ended(ending.answer, wrong)
    let host = FlowHost(store: store, clock: clock)
    try await host.register(flow)
    try #require(try await host.flow("f").view().status == ending.status)
    #expect(try await host.flow("f").settled().status == ending.status)
    #expect(try await flows.outcome(of: "f") != .open)
    // Registering its definition frees an unmigrated flow.
    #expect(try await host.list(FlowQuery(status: [wrong])).flows.count == (wrong == .unmigrated ? 0 : 1))
    try await host.catchUp()
    let row = try #require(try await store.load("f")).snapshot
    #expect(row.status == ending.status && row.wakeAt == nil && row.tasks.isEmpty)
    #expect(try await host.list(FlowQuery(status: [wrong])).flows.isEmpty)
    #expect(await code { try await host.flow("f").backUp() } == .flowEnded)
  }

  @Test("a flow whose definition is unknown does not become unmigrated")
  func unknown() async throws {
    _ = try await ended("boom", .failed)
    let before = try await store.load("f")
    let stranger = FlowHost(store: store, clock: clock)
    #expect(await code { try await stranger.flow("f").backUp() } == .unmigrated)
    #expect(try await store.load("f") == before)
  }

  @Test("a running host repairs the index, and does not activate the flow again")
  func running() async throws {
    _ = try await ended("yes", .runnable)
    let counted = FaultyStore(store)
    let host = FlowHost(store: counted, clock: clock)
    try await host.register(flow)
    let run = Task { try await host.run() }
    for _ in 1...3 {
      try await clock.waitForSleepers(2)
      clock.advance(by: .seconds(5))
    }
    try await clock.waitForSleepers(2)
    #expect(try await store.load("f")?.snapshot.status == .finished)
    #expect(counted.count(of: .commit) == 1)
    run.cancel()
    try await run.value
  }
}
