import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Flows in memory whose lease has expired", .timeLimit(.minutes(15))) struct LeaseRunOutTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let gate = Gate()
  private let log = Log()
  /// Passed with each claim that found a flow, after it was handled.
  private let passes = Gate()

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  /// A host that cannot renew its leases.
  private func host() async throws -> FlowHost {
    let late = FaultyStore(store) { [passes] call in
      if call.operation == .list { passes.mark() }
      return call.operation == .renew ? .fail(.unavailable) : nil
    }
    let host = FlowHost(store: late, clock: clock, owner: "host")
    let flows = try await host.register(
      Flow("f") {
        Step("slow") { [gate, log] (text: String, _: StepContext) in
          log.add("slow")
          await gate.pass()
          return text
        }
        Step("ask") { Asker() }
      })
    try await flows.start(id: "x", with: "-")
    await gate.reached(1)
    return host
  }

  /// Lets the host look once more for due flows, after its leases have expired.
  private func passTime(_ host: FlowHost) async throws {
    try await clock.waitForSleepers()
    let before = passes.arrivals
    clock.advance(by: .seconds(31))
    await passes.reached(before + 1)
  }

  @Test("the flow continues under the lease that it is claimed with, and releases that one")
  func adopted() async throws {
    let host = try await host()
    let running = Task { try await host.run() }
    try await passTime(host)
    gate.open()
    #expect(try await host.flow("x").settled().status == .waiting)
    #expect(log.all == ["slow"], "it did not begin again")
    await host.isQuiet()
    // No other host has to wait for a lease to expire.
    _ = try await store.acquire("x", owner: "other", for: .seconds(1))
    running.cancel()
    try await running.value
  }

  @Test("a host that has lost the flow releases the claimed lease at once")
  func lost() async throws {
    let host = try await host()
    await host.live["x"]?.committer.lose(FlowStoreError(.conflict, "another host has written it"))
    let running = Task { try await host.run() }
    try await passTime(host)
    _ = try await store.acquire("x", owner: "other", for: .seconds(1))
    gate.open()
    await host.isQuiet()
    running.cancel()
    try await running.value
  }
}
