public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ShardedFlowStore: LeasingFlowStore where Shard: LeasingFlowStore {
  /// Attaches a host to the first shard, which gives the epoch its number, and then to the others.
  ///
  /// A shard that does not answer is attached with a later beat; its flows cannot be leased until then.
  public func attach(
    owner: String, for time: Duration, as attempt: CommitID, after old: Epoch?
  ) async throws -> Epoch {
    let first = try await shard(0).attach(owner: owner, for: time, as: attempt, after: old)
    let others = await onEach(shards.indices.dropFirst()) { _, number in
      try await self.attachPart(of: first.fence, owner: owner, for: time, in: number)
    }
    var parts = [0: ShardEpochs.Part(fence: first.fence)]
    var until = first.until
    for (number, other) in try answered([(0, .success((ShardEpochs.Part(fence: first.fence), until)))] + others) {
      parts[number] = other.part
      until = min(until, other.until)
    }
    epochs.put(first.fence, ShardEpochs.Attached(owner: owner, parts: parts))
    return Epoch(owner: owner, fence: first.fence, until: until)
  }

  /// Moves the time at which the next beat is overdue, in all shards that answer.
  ///
  /// - Throws: ``FlowStoreError``: `fenced` if the epoch has ended in any shard; its other parts are ended then.
  public func beat(_ epoch: Epoch, for time: Duration) async throws -> Epoch {
    let results = await onEach(shards.indices) { shard, number -> Epoch? in
      // The first shard refuses an epoch that has ended; another one may not have been attached yet.
      guard let part = try await self.part(of: epoch.fence, in: number) else { return nil }
      return try await shard.beat(Epoch(owner: epoch.owner, fence: part, until: epoch.until), for: time)
    }
    let answers: [(number: Int, value: Epoch?)]
    do { answers = try answered(results) } catch let error as FlowStoreError where error.code == .fenced {
      // A part that cannot be ended becomes overdue.
      try? await detachParts(of: epoch)
      epochs.forget(epoch.fence)
      throw error
    }
    var until: Date?
    for (number, part) in answers {
      guard let part else { continue }
      until = min(until ?? part.until, part.until)
      await renewNote(of: part, as: epoch.fence, in: number)
    }
    // Only the first shard knows that no other process has attached under the name since.
    if answers.contains(where: { $0.number == 0 }) {
      await attachMissing(answers.filter { $0.value == nil }.map(\.number), of: epoch, for: time)
    }
    guard let until else {
      // The first shard has failed, and this process knows no other part.
      for (_, result) in results { _ = try result.get() }
      throw notAttached(0)
    }
    return Epoch(owner: epoch.owner, fence: epoch.fence, until: until)
  }

  private func attachMissing(_ numbers: [Int], of epoch: Epoch, for time: Duration) async {
    guard !numbers.isEmpty else { return }
    let results = await onEach(numbers) { _, number in
      try await self.attachPart(of: epoch.fence, owner: epoch.owner, for: time, in: number)
    }
    for (number, result) in results {
      switch result {
      case .success(let (part, _)):
        epochs.put(part, of: epoch.fence, in: number)
        failing.withLock { $0[number] = nil }
      case .failure(let error): failing.withLock { $0[number] = error }
      }
    }
  }

  /// Ends an epoch in all shards.
  public func detach(_ epoch: Epoch) async throws { try await detachParts(of: epoch) }

  /// Leases a flow to a host.
  public func acquire(_ id: FlowID, under epoch: Epoch) async throws -> LeasedFlow {
    let number = placement.shard(of: id)
    guard let part = try await part(of: epoch, in: number) else { throw notAttached(number) }
    return LeasedFlow(FlowLease(of: id, under: epoch), try await shard(number).acquire(id, under: part).flow)
  }

  /// Leases a flow to a host that can run these versions.
  public func acquire(
    _ id: FlowID, under epoch: Epoch, serving: [String: ClosedRange<Int>]
  ) async throws -> LeasedFlow? {
    let number = placement.shard(of: id)
    guard let part = try await part(of: epoch, in: number) else { throw notAttached(number) }
    let leased = try await shard(number).acquire(id, under: part, serving: serving)
    return leased.map { LeasedFlow(FlowLease(of: id, under: epoch), $0.flow) }
  }

  /// Releases a lease.
  public func release(_ lease: FlowLease) async throws {
    let number = placement.shard(of: lease.id)
    guard let part = try await part(of: lease.fence, in: number) else { return }
    try await shard(number).release(FlowLease(id: lease.id, owner: lease.owner, fence: part))
  }

  /// Returns a page of the flows that are leased under an epoch, shard after shard. A shard that does not answer is left
  /// out, and its flows are listed when it answers again.
  public func leased(to epoch: Epoch, after cursor: String?, limit: Int) async throws -> LeasePage {
    var place = ShardLeasePlace(number: 0, cursor: nil)
    if let cursor { place = try ShardLeasePlace(cursor, of: shards.count) }
    var (hasAnswer, failure): (Bool, (any Error)?) = (cursor != nil, nil)
    while true {
      let (number, isLast) = (place.number, place.number == shards.count - 1)
      var page = LeasePage(flows: [], cursor: nil)
      do {
        page = try await leased(to: epoch, in: number, after: place.cursor, limit: limit)
        failing.withLock { $0[number] = nil }
        hasAnswer = true
      } catch {
        if Self.isRefusal(error) { throw error }
        failing.withLock { $0[number] = error }
        failure = failure ?? error
      }
      let isOver = isLast && page.cursor == nil
      if isOver, !hasAnswer, let failure { throw failure }
      place = ShardLeasePlace(number: page.cursor == nil ? number + 1 : number, cursor: page.cursor)
      if isOver || !page.flows.isEmpty {
        return LeasePage(flows: page.flows, cursor: isOver ? nil : place.description)
      }
    }
  }

  private func leased(
    to epoch: Epoch, in number: Int, after cursor: String?, limit: Int
  ) async throws -> LeasePage {
    guard let part = try await part(of: epoch, in: number) else { throw notAttached(number) }
    return try await shard(number).leased(to: part, after: cursor, limit: limit)
  }

  /// Returns the earliest time at which a flow without a lease becomes due, in the shards that answer.
  public func nextDue(serving: [String: ClosedRange<Int>]) async throws -> Date? {
    try answered(await onEach(shards.indices) { shard, _ in try await shard.nextDue(serving: serving) })
      .compactMap(\.value).min()
  }

  /// Returns the flows that another host wishes for, in the shards that answer.
  public func wanted(under epoch: Epoch) async throws -> [FlowID] {
    let results = await onEach(shards.indices) { shard, number -> [FlowID] in
      guard let part = try await self.part(of: epoch, in: number) else { throw self.notAttached(number) }
      return try await shard.wanted(under: part)
    }
    return try answered(results).flatMap(\.value)
  }

  /// A new stream of the changes of all shards that can tell; `nil` if none can.
  public var changes: AsyncStream<StoreChange>? { merged(shards.map(\.changes)) }
}
