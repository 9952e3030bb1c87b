import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ShardedFlowStore where Shard: LeasingFlowStore {
  /// Leases flows that have work to do, a fair share from each shard that answers.
  ///
  /// In each shard, those that are due longest are leased first. What a shard does not use of its share goes to the
  /// others, and each call begins with another shard, so that no shard keeps out another one. A limit below the number of
  /// shards may leave some of them for a later call.
  public func claimDue(
    under epoch: Epoch, serving: [String: ClosedRange<Int>], limit: Int
  ) async throws -> [LeasedFlow] {
    var left = max(0, limit)
    var open = nextTurn()
    var claimed: [LeasedFlow] = []
    var hasAnswer = false
    var failure: (any Error)?
    repeat {
      let shares = ShardPlacement.shares(of: left, among: open).filter { $0.share > 0 || limit < 1 }
      let wanted = Dictionary(uniqueKeysWithValues: shares.map { ($0.number, $0.share) })
      let results = await onEach(shares.map(\.number)) { shard, number in
        try await self.claim(wanted[number] ?? 0, of: shard, number, under: epoch, serving)
      }
      do {
        for (number, claim) in try answered(results) {
          hasAnswer = true
          left -= claim.flows.count
          claimed += claim.flows
          if let stray = claim.stray { failing.withLock { $0[number] = misplaced(stray, in: number) } }
          if claim.flows.count < max(1, wanted[number] ?? 0) { open.removeAll { $0 == number } }
        }
      } catch {
        // No claim of another shard must be lost with the error of one that does not answer.
        if Self.isRefusal(error) { throw error }
        failure = error
      }
      open.removeAll { number in results.contains { $0.number == number && $0.result.isFailure } }
    } while left > 0 && !open.isEmpty
    if let failure, !hasAnswer { throw failure }
    return claimed.sorted { Self.due($0) < Self.due($1) }
  }

  /// Returns the numbers of the shards, beginning with another one each time.
  private func nextTurn() -> [Int] {
    let first = turn.withLock { turn in
      defer { turn = (turn + 1) % shards.count }
      return turn
    }
    return Array(shards.indices[first...]) + Array(shards.indices[..<first])
  }

  /// Claims flows of one shard. Flows that do not belong there are released again, and take no place among the others.
  private func claim(
    _ limit: Int, of shard: Shard, _ number: Int, under epoch: Epoch, _ serving: [String: ClosedRange<Int>]
  ) async throws -> (flows: [LeasedFlow], stray: FlowID?) {
    guard let part = try await part(of: epoch, in: number) else { throw notAttached(number) }
    var (flows, strays) = ([LeasedFlow](), [LeasedFlow]())
    var isPure = false
    while !isPure {
      let claims = try await shard.claimDue(under: part, serving: serving, limit: limit - flows.count)
      let own = claims.filter { placement.shard(of: $0.lease.id) == number }
      flows += own
      strays += claims.filter { placement.shard(of: $0.lease.id) != number }
      // The strays are leased meanwhile, so another claim finds others.
      isPure = own.count == claims.count || flows.count >= limit
    }
    for stray in strays { try await shard.release(stray.lease) }
    return (flows.map { LeasedFlow(FlowLease(of: $0.lease.id, under: epoch), $0.flow) }, strays.first?.lease.id)
  }

  private static func due(_ leased: LeasedFlow) -> StoredTime {
    leased.flow?.dueAt.map { StoredTime($0) } ?? StoredTime(microseconds: .max)
  }
}

extension Result {
  fileprivate var isFailure: Bool {
    if case .failure = self { true } else { false }
  }
}
