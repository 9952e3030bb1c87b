import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

/// The conformance checks, each tested with a store that fails it.
@Suite struct FlowStoreConformanceTests {
  @Test("a store with a mistake fails the check of that behaviour", arguments: Mutation.allCases)
  func mutant(_ mutation: Mutation) async throws {
    let check = try #require(FlowStoreConformance.all.first { $0.name.hasPrefix(mutation.check) })
    let clock = ManualWallClock()
    let error = await #expect(throws: (any Error).self) {
      // A store in memory shows every change at once.
      try await FlowStoreConformance.$patience.withValue(.milliseconds(100)) {
        try await check.run(on: FlowStoreHarness(clock: clock) { MutantStore(mutation, clock) })
      }
    }
    if let failure = error as? FlowStoreConformance.Failure {
      #expect(failure.check == check.name)
      #expect(!failure.message.isEmpty)
    }
  }

  @Test("every check finds one of the mistakes, or concerns data on disk")
  func complete() {
    let found = Set(Mutation.allCases.map(\.check) + TableFault.allCases.map(\.check))
    let onDisk: Set<FlowStoreConformance.Need> = [.reopening, .damage, .crashing]
    for check in FlowStoreConformance.all where check.needs.isDisjoint(with: onDisk) {
      #expect(found.contains { check.name.hasPrefix($0) }, "\(check)")
    }
  }

  @Test(
    "a store with a mistake in its table of values passes the other checks of values",
    arguments: [Mutation.keepsValuesOfDeleted, .retriesWithoutValues, .weighsNoValues])
  func values(_ mutation: Mutation) async throws {
    let clock = ManualWallClock()
    for check in FlowStoreConformance.all
    where check.needs == [.values] && !check.name.hasPrefix(mutation.check) {
      let result = try await check.run(on: FlowStoreHarness(clock: clock) { MutantStore(mutation, clock) })
      #expect(result == .passed, "\(check)")
    }
  }

  @Test("no two checks share a name")
  func names() {
    #expect(Set(FlowStoreConformance.all.map(\.name)).count == FlowStoreConformance.all.count)
  }

  @Test("a check whose requirements the harness lacks is skipped with the reason")
  func skipped() async throws {
    for check in FlowStoreConformance.all {
      let outcome = try await check.run(on: FlowStoreHarness { MemoryFlowStore() })
      guard case .skipped(let reason) = outcome else {
        #expect(check.needs.isSubset(of: [.leases, .values, .replacing, .changes]))
        continue
      }
      #expect(!check.needs.isSubset(of: [.leases, .values, .replacing, .changes]) && !reason.isEmpty)
    }
  }

  // MARK: - On disk

  @Test("a store that opens with less than it had fails the checks of reopening")
  func forgetful() async throws {
    let clock = ManualWallClock()
    var harness = FlowStoreHarness(clock: clock) { MemoryFlowStore(clock: clock) }
    harness.reopen = { old in
      // The flows are there; their history, the names of their commits and their leases are not.
      let new = MemoryFlowStore(clock: clock)
      for summary in try await old.list(FlowQuery(), after: nil, limit: 99).flows {
        guard let flow = try await old.load(summary.id) else { continue }
        for revision in 1...flow.revision.number {
          _ = try await new.commit(
            FlowWrite(flow.snapshot, to: flow.id, expecting: Revision(revision - 1)))
        }
      }
      return new
    }
    for check in FlowStoreConformance.all
    where check.needs.contains(.reopening) && check.needs.isSubset(of: [.reopening, .leases]) {
      await #expect(throws: (any Error).self, "\(check)") { try await check.run(on: harness) }
    }
  }

  @Test("a store that misreads damage as a missing flow, or as another error, fails the checks of damage")
  func blind() async throws {
    for codes in [[FlowStoreError.Code.unsupportedFormat: FlowStoreError.Code.corrupted], [:]] {
      // These stores give no leases.
      for check in FlowStoreConformance.all where check.needs == [.damage] {
        let folder = try Folder()
        var harness = folder.harness
        let damage = harness.damage
        harness.make = { BlindStore(base: try await folder.open(), codes: codes) }
        harness.reopen = nil
        harness.damage = { try await damage?(($0 as? BlindStore)?.base ?? $0, $1, $2) }
        // The first store reads damage correctly and a newer format wrongly; the second reads both as a missing flow.
        if !codes.isEmpty && check.name.contains("corrupted") {
          try await check.run(on: harness)
        } else {
          await #expect(throws: FlowStoreConformance.Failure.self, "\(check)") { try await check.run(on: harness) }
        }
      }
    }
  }
}
