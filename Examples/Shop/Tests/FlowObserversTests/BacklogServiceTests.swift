import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import FlowObservers
import MetricsTestKit
import Testing

/// The backlog that a service reads again and again.
@Suite("BacklogService", .timeLimit(.minutes(2))) struct BacklogServiceTests {
  private let world = World()
  private let backend = TestMetrics()
  private let pulse = ManualWallClock()

  private func last(_ gauge: String) throws -> Double? { try backend.expectGauge(gauge).lastValue }

  @Test("records the backlog at once and after each pause, passes over a store that does not answer, and ends")
  func service() async throws {
    let store = FaultyStore(world.store)
    let host = FlowHost(store: store, clock: world.clock)
    let orders = try await host.register(orderFlow(world.bank))
    await world.bank.close()
    try await orders.start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    try await host.flow("x").answer(Approval.self, with: "yes")
    _ = try await host.flow("x").settled()
    let service = BacklogService(host, FlowMetrics(backend), every: .seconds(60), clock: pulse)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await service.run() }
      try await pulse.waitForSleepers()
      #expect(try last("flow_backlog_suspended") == 1 && last("flow_backlog_unmigrated") == 0)

      try await host.flow("x").abandon()
      store.plan { $0.operation == .list ? .fail(.unavailable) : nil }
      pulse.advance(by: .seconds(60))
      try await pulse.waitForSleepers()
      #expect(try backend.expectGauge("flow_backlog_suspended").values == [1])

      store.plan { _ in nil }
      pulse.advance(by: .seconds(59))
      #expect(pulse.sleepers == 1)
      pulse.advance(by: .seconds(1))
      try await pulse.waitForSleepers()
      #expect(try backend.expectGauge("flow_backlog_suspended").values == [1, 0])
      tasks.cancelAll()
      try await tasks.waitForAll()
    }
    try await host.shutDown()
  }
}
