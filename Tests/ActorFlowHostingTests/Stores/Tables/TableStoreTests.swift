import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

/// The conformance checks on a store of tables that can crash, close and lose its connection; and what they find in it.
@Suite("Conformance of a store of tables", .timeLimit(.minutes(15))) struct TableStoreTests {
  private func harness(_ fault: TableFault?) -> FlowStoreHarness {
    let clock = ManualWallClock()
    var harness = FlowStoreHarness(clock: clock) { TableStore(TableDisk(), clock, fault) }
    harness.reopen = { store in
      let store = try #require(store as? TableStore)
      await store.close()
      return TableStore(store.disk, clock, fault)
    }
    harness.close = { await ($0 as? TableStore)?.close() }
    harness.crash = { store in
      let disk = try #require(store as? TableStore).disk
      disk.crash()
      return TableStore(disk, clock, fault)
    }
    harness.sever = { try #require($0 as? TableStore).sever($1) }
    harness.syncs = { try #require($0 as? TableStore).disk.syncs }
    harness.holdSync = { store, count in
      let disk = try #require(store as? TableStore).disk
      disk.hold(after: count)
      return FlowStoreHarness.HeldSync(reached: { try await disk.waitForHeldSync() }, release: { disk.release() })
    }
    return harness
  }

  @Test("a store of tables without a mistake does what every store must", arguments: FlowStoreConformance.all)
  func conforms(_ check: FlowStoreConformance.Check) async throws {
    let result = try await check.run(on: harness(nil))
    let isSkipped = !check.needs.isDisjoint(with: [.values, .leases, .damage, .changes])
    #expect((result != .passed) == isSkipped, "\(check): \(result)")
  }

  @Test("a store of tables with a mistake fails the check of that behaviour", arguments: TableFault.allCases)
  func finds(_ fault: TableFault) async throws {
    let checks = FlowStoreConformance.all.filter { $0.name.hasPrefix(fault.check) }
    try #require(checks.count == 1, "\(checks)")
    let error = await #expect(throws: (any Error).self) { try await checks[0].run(on: harness(fault)) }
    if let failure = error as? FlowStoreConformance.Failure { #expect(failure.check == checks[0].name) }
  }

  @Test(
    "a store that never syncs fails every check of a crash",
    arguments: FlowStoreConformance.all.filter { $0.needs.contains(.crashing) && !$0.needs.contains(.leases) })
  func forgets(_ check: FlowStoreConformance.Check) async throws {
    await #expect(throws: FlowStoreConformance.Failure.self) { try await check.run(on: harness(.neverSyncs)) }
  }
}
