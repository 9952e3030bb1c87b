import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Flows in memory of a host whose beat is overdue", .timeLimit(.minutes(15))) struct LeaseRunOutTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let gate = Gate()
  private let log = Log()
  /// Passed with each pass of the host over the due flows.
  private let passes = Gate()

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  private func host(beats: Bool) async throws -> FlowHost {
    let late = FaultyStore(store) { [passes] call in
      if call.operation == .claimDue { passes.mark() }
      return call.operation == .beat && !beats ? .fail(.unavailable) : nil
    }
    let host = FlowHost(store: late, clock: clock, owner: "host")
    let flows = try await host.register(
      Flow("f") {
        Step("slow") { [gate, log] (text: String, _: StepContext) in
          log.add("slow")
          await gate.pass()
          return text
        }.durableEntry()
        Step("ask") { Asker() }
      })
    try await flows.start(id: "x", with: "-")
    await gate.reached(1)
    return host
  }

  /// Lets the host look once more for due flows, after its beat is overdue.
  private func passTime(_ host: FlowHost) async throws {
    try await clock.waitForSleepers(2)
    let before = passes.arrivals
    clock.advance(by: .seconds(31))
    await passes.reached(before + 1)
  }

  @Test("the flow goes on under its lease as long as no other host wants it")
  func goesOn() async throws {
    let host = try await host(beats: false)
    let running = Task { try await host.run() }
    try await passTime(host)
    gate.open()
    #expect(try await host.flow("x").settled().status == .waiting)
    #expect(log.all == ["slow"], "it did not begin again")
    await host.isQuiet()
    // The lease was released, so no other host has to wait for an overdue beat.
    _ = try await store.acquire("x", owner: "other", for: .seconds(1))
    running.cancel()
    try await running.value
  }

  @Test("a host whose epoch was ended gives up the flow, and takes it again under a new epoch")
  func ended() async throws {
    let host = try await host(beats: true)
    let before = try await store.load("x")
    clock.advance(by: .seconds(31))
    let other = try await store.acquire("x", owner: "other", for: .seconds(60))
    gate.open()
    await host.isQuiet()
    #expect(try await store.load("x") == before)
    try await store.release(other)
    #expect(try await host.flow("x").settled().status == .waiting)
    #expect(log.all == ["slow", "slow"])
  }
}
