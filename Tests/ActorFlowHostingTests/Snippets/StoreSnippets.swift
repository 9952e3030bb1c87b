import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@Suite("Documentation of stores", .timeLimit(.minutes(15))) struct StoreSnippets {
  private func harness(_ clock: ManualWallClock) -> FlowStoreHarness {
    var harness = FlowStoreHarness(clock: clock) { TableStore(TableDisk(), clock) }
    // Returns when no call is under way. Closing twice has no effect.
    harness.close = { store in await (store as? TableStore)?.close() }
    harness.reopen = { store in
      let store = try #require(store as? TableStore)
      await store.close()
      return TableStore(store.disk, clock)
    }
    // The disk forgets what was not synced, and every later call of the old store fails.
    harness.crash = { store in
      let disk = try #require(store as? TableStore).disk
      disk.crash()
      return TableStore(disk, clock)
    }
    return harness
  }

  @Test(
    "a harness of a store on a disk runs the checks of crashes and of opening again",
    arguments: FlowStoreConformance.all)
  func onDisk(_ check: FlowStoreConformance.Check) async throws {
    let result = try await check.run(on: harness(ManualWallClock()))
    if !check.needs.isEmpty, check.needs.isSubset(of: [.reopening, .closing, .crashing]) { #expect(result == .passed) }
  }

  @Test("a host on a sharded store runs flows in all of its shards")
  func sharded() async throws {
    let (first, second, third) = (MemoryFlowStore(), MemoryFlowStore(), MemoryFlowStore())
    let store = try await ShardedFlowStore([first, second, third])
    let host = FlowHost(store: store)
    let flows = try await host.register(Flow("short") { Step("step") { (input: Int) in input + 1 } })
    for number in 0..<9 {
      let id = FlowID("\(number)")
      try await flows.start(id: id, with: number)
      _ = try await host.flow(id).settled()
      #expect(try await store.shards[store.shardIndex(of: id)].load(id) != nil)
    }
    #expect(try await host.count(FlowQuery(status: [.finished])) == 9)
  }
}
