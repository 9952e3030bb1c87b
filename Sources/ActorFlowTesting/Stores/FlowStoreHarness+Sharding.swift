import ActorFlow
package import ActorFlowHosting

extension FlowStoreHarness {
  /// Creates a harness for a `ShardedFlowStore` of the stores of other harnesses, each with a clock of its own.
  ///
  /// Can do what all of them can, but for breaking connections: that of the next write is one of a single shard.
  package init<Shard: FlowStore>(sharding parts: [FlowStoreHarness], of type: Shard.Type) {
    @Sendable func sharded(_ store: any FlowStore) throws -> ShardedFlowStore<Shard> {
      guard let store = store as? ShardedFlowStore<Shard> else { throw Self.isForeign }
      return store
    }
    @Sendable func open(
      _ make: @Sendable (Int, FlowStoreHarness) async throws -> any FlowStore
    ) async throws -> any FlowStore {
      var shards: [Shard] = []
      for (number, part) in parts.enumerated() {
        guard let shard = try await make(number, part) as? Shard else { throw Self.isForeign }
        shards.append(shard)
      }
      return try await ShardedFlowStore(shards)
    }
    self.init { try await open { try await $1.make() } }
    isInParts = true
    if let first = parts.first { now = first.now }
    secondHandle = { store in
      let shards = try sharded(store).shards
      return try await open { try await $1.secondHandle(shards[$0]) }
    }
    if parts.allSatisfy({ $0.advance != nil }) {
      advance = { time in for part in parts { try await part.advance?(time) } }
    }
    if parts.allSatisfy({ $0.close != nil }) {
      close = { store in for (shard, part) in zip(try sharded(store).shards, parts) { try await part.close?(shard) } }
    }
    if parts.allSatisfy({ $0.reopen != nil }) {
      reopen = { store in
        let shards = try sharded(store).shards
        return try await open { number, part in
          guard let reopen = part.reopen else { throw Self.isForeign }
          return try await reopen(shards[number])
        }
      }
    }
    if parts.allSatisfy({ $0.crash != nil }) {
      crash = { store in
        let shards = try sharded(store).shards
        return try await open { number, part in
          guard let crash = part.crash else { throw Self.isForeign }
          return try await crash(shards[number])
        }
      }
    }
    if parts.allSatisfy({ $0.damage != nil }) {
      damage = { store, id, damage in
        let store = try sharded(store)
        let number = store.shardIndex(of: id)
        try await parts[number].damage?(store.shards[number], id, damage)
      }
    }
    addSyncs(of: parts) { try sharded($0).shards }
  }

  private mutating func addSyncs(
    of parts: [FlowStoreHarness], _ shards: @escaping @Sendable (any FlowStore) throws -> [any FlowStore]
  ) {
    if parts.allSatisfy({ $0.syncs != nil }) {
      syncs = { store in
        var sum = 0
        for (shard, part) in zip(try shards(store), parts) { sum += try await part.syncs?(shard) ?? 0 }
        return sum
      }
    }
    if parts.allSatisfy({ $0.holdSync != nil }) {
      holdSync = { store, count in
        var all: [HeldSync] = []
        for (shard, part) in zip(try shards(store), parts) {
          if let held = try await part.holdSync?(shard, count) { all.append(held) }
        }
        let held = all
        return HeldSync(
          reached: {
            try await withThrowingTaskGroup(of: Void.self) { group in
              for sync in held { group.addTask { try await sync.reached() } }
              try await group.next()
              group.cancelAll()
            }
          },
          release: { for sync in held { await sync.release() } })
      }
    }
  }

  private static var isForeign: FlowStoreError {
    FlowStoreError(.unavailable, "the store is not one of this harness")
  }
}
