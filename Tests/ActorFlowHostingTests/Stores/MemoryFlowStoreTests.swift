import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@Suite struct MemoryFlowStoreTests {
  @Test("a store in memory does what every store must", arguments: FlowStoreConformance.all)
  func conforms(_ check: FlowStoreConformance.Check) async throws {
    let clock = ManualWallClock()
    let harness = FlowStoreHarness(clock: clock) { MemoryFlowStore(clock: clock) }
    try await check.run(on: harness)
  }

  @Test("only the checks of data on disk are skipped for a store in memory, each with its reason")
  func skipped() async throws {
    for check in FlowStoreConformance.all {
      let clock = ManualWallClock()
      let outcome = try await check.run(on: FlowStoreHarness(clock: clock) { MemoryFlowStore(clock: clock) })
      let onDisk = !check.needs.isSubset(of: [.values, .replacing, .leases, .clock, .changes])
      #expect((outcome != .passed) == onDisk, "\(check): \(outcome)")
    }
  }
}
