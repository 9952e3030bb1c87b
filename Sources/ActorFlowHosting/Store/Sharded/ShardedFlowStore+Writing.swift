public import ActorFlow

// Calls about one flow, which are calls of the flow's shard.
extension ShardedFlowStore {
  /// Returns a stored flow, or `nil` if there is no such flow.
  public func load(_ id: FlowID) async throws -> StoredFlow? { try await shard(of: id).load(id) }

  /// Returns the entries of a flow's history, oldest first.
  public func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await shard(of: id).history(of: id, after: sequence, limit: limit)
  }

  /// Writes a flow's next snapshot, and appends to its history.
  public func commit(_ write: FlowWrite) async throws -> StoredFlow {
    let number = placement.shard(of: write.id)
    let shard = try await shard(number)
    return try await shard.commit(translated(write, to: number))
  }

  /// Performs several writes, those of one shard together, and those of different shards at the same time.
  ///
  /// Writes of one flow are in one shard, so they are done in their order.
  public func commit(_ writes: [FlowWrite]) async -> [Result<StoredFlow, FlowStoreError>] {
    let places = Dictionary(grouping: writes.indices) { placement.shard(of: writes[$0].id) }
    let parts = await onEach(places.keys.sorted()) { shard, number in
      let places = places[number] ?? []
      var translated: [FlowWrite] = []
      for place in places { translated.append(try await self.translated(writes[place], to: number)) }
      return zip(places, await shard.commit(translated)).map { ($0, $1) }
    }
    var results: [Result<StoredFlow, FlowStoreError>?] = Array(repeating: nil, count: writes.count)
    for (number, part) in parts {
      switch part {
      case .success(let done): for (place, result) in done { results[place] = result }
      case .failure(let error):
        // The shard was not called.
        for place in places[number] ?? [] { results[place] = .failure(Self.notBegun(error)) }
      }
    }
    return results.map { result in
      result ?? .failure(FlowStoreError(.outcomeUnknown, "a shard returned fewer results than it got writes"))
    }
  }

  /// Removes a flow with its history, its questions and its lease.
  public func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
    let number = placement.shard(of: id)
    let shard = try await shard(number)
    try await shard.delete(id, expecting: revision, fence: translated(fence, to: number))
  }

  /// Returns the note under a key.
  public func note(_ key: String) async throws -> StoreNote? {
    try await shard(placement.shard(ofNote: key)).note(ShardPlacement.key(ofNote: key))
  }

  /// Writes, replaces or removes the note under a key.
  public func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    try await shard(placement.shard(ofNote: key))
      .setNote(note, under: ShardPlacement.key(ofNote: key), replacing: old)
  }

  private func translated(_ write: FlowWrite, to number: Int) async throws -> FlowWrite {
    guard write.fence != nil else { return write }
    var write = write
    write.fence = try await translated(write.fence, to: number)
    return write
  }

  /// Returns the fence that a shard knows for a fence of this store. One that no lease has is refused by the shard,
  /// after the checks that come before that of the lease.
  private func translated(_ fence: Fence?, to number: Int) async throws -> Fence? {
    guard let fence else { return nil }
    do { return try await part(of: fence, in: number) ?? ShardEpochs.none } catch { throw Self.notBegun(error) }
  }

  private static func notBegun(_ error: any Error) -> FlowStoreError {
    if let error = error as? FlowStoreError, error.code != .outcomeUnknown { return error }
    return FlowStoreError(.unavailable, "the shard of the flow cannot be used at present", underlying: error)
  }
}
