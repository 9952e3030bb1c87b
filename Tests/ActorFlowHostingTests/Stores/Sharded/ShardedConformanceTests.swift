import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@Suite("A sharded store does what every store must", .timeLimit(.minutes(15)))
struct ShardedConformanceTests {
  /// The checks of what a sharded store does itself, besides passing calls on.
  private static let own = FlowStoreConformance.all.filter {
    !$0.needs.isDisjoint(with: [.leases, .changes]) || $0.name.contains("note") || $0.name.contains("page")
  }

  private static func memory() -> FlowStoreHarness {
    let clock = ManualWallClock()
    return FlowStoreHarness(clock: clock) { MemoryFlowStore(clock: clock) }
  }

  @Test("over stores in memory", arguments: FlowStoreConformance.all)
  func memory(_ check: FlowStoreConformance.Check) async throws {
    let parts = [Self.memory(), Self.memory(), Self.memory()]
    try expect(try await check.run(on: FlowStoreHarness(sharding: parts, of: MemoryFlowStore.self)), check)
  }

  @Test("over one store, over which it changes nothing", arguments: own)
  func single(_ check: FlowStoreConformance.Check) async throws {
    var harness = FlowStoreHarness(sharding: [Self.memory()], of: MemoryFlowStore.self)
    harness.isInParts = false
    try expect(try await check.run(on: harness), check)
  }

  @Test("over sharded stores, whose notes are told apart", arguments: own)
  func nested(_ check: FlowStoreConformance.Check) async throws {
    let parts = (0..<2).map { _ in
      FlowStoreHarness(sharding: [Self.memory(), Self.memory()], of: MemoryFlowStore.self)
    }
    let harness = FlowStoreHarness(sharding: parts, of: ShardedFlowStore<MemoryFlowStore>.self)
    try expect(try await check.run(on: harness), check)
  }

  @Test("over stores on files, which give no leases", arguments: FlowStoreConformance.all)
  func files(_ check: FlowStoreConformance.Check) async throws {
    let folders = [try Folder(), try Folder()]
    let harness = FlowStoreHarness(sharding: folders.map(\.harness), of: FileFlowStore.self)
    let result = try await check.run(on: harness)
    let isSkipped = !check.needs.isDisjoint(with: [.leases, .severing])
    #expect((result != .passed) == isSkipped, "\(check): \(result)")
  }

  private func expect(_ result: FlowStoreConformance.CheckResult, _ check: FlowStoreConformance.Check) throws {
    let onDisk = !check.needs.isSubset(of: [.values, .replacing, .leases, .clock, .changes])
    #expect((result != .passed) == onDisk, "\(check): \(result)")
  }
}
