import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation

extension MutantStore {
  func attach(owner: String, for time: Duration, as attempt: CommitID, after old: Epoch?) async throws -> Epoch {
    let known = seen.withLock { $0.epochs[owner] }
    if mutation == .keepsEpoch, let known { return try await base.beat(known, for: time) }
    let epoch = try await base.attach(
      owner: owner, for: mutation == .neverExpires ? time * 1_000 : time,
      as: mutation == .forgetsAttempts ? CommitID() : attempt, after: mutation == .attachesOver ? nil : old)
    seen.withLock { $0.epochs[owner] = epoch }
    guard mutation == .neverExpires else { return epoch }
    return Epoch(owner: owner, fence: epoch.fence, until: clock.now.addingTimeInterval(time / .seconds(1)))
  }

  func beat(_ epoch: Epoch, for time: Duration) async throws -> Epoch {
    do {
      let next = try await base.beat(epoch, for: mutation == .neverExpires ? time * 1_000 : time)
      seen.withLock { $0.epochs[epoch.owner] = next }
      guard mutation == .neverExpires else { return next }
      return Epoch(owner: epoch.owner, fence: epoch.fence, until: clock.now.addingTimeInterval(time / .seconds(1)))
    } catch {
      guard mutation == .beatsForTheDead else { throw error }
      return epoch
    }
  }

  func detach(_ epoch: Epoch) async throws {
    let latest = seen.withLock { $0.epochs[epoch.owner] }
    if mutation != .detachesNothing { try await base.detach(mutation == .detachesByName ? latest ?? epoch : epoch) }
  }

  func acquire(_ id: FlowID, under epoch: Epoch) async throws -> LeasedFlow {
    let last = lastLease(id)
    switch mutation {
    case .leasesTwice: if let last, last.fence != epoch.fence { try await base.release(last) }
    case .leasesOnlyWhatIsThere:
      guard try await base.load(id) != nil else { throw FlowStoreError(.notFound, "no flow") }
    default: break
    }
    var leased = try await base.acquire(id, under: epoch)
    seen.withLock { $0.leases[id] = leased.lease }
    if mutation == .leasesWithoutFlow { leased.flow = nil }
    if mutation == .leasesWithoutValues { leased.flow?.snapshot.values = [] }
    return leased
  }

  func acquire(
    _ id: FlowID, under epoch: Epoch, serving: [String: ClosedRange<Int>]
  ) async throws -> LeasedFlow? {
    if mutation == .leasesUnserved { return try await acquire(id, under: epoch) }
    guard let flow = try await base.load(id)?.snapshot, serving[flow.definition]?.contains(flow.version) != true else {
      return try await acquire(id, under: epoch)
    }
    if mutation == .wishesUnserved {
      do { try await base.release(acquire(id, under: epoch).lease) } catch let error as FlowStoreError
        where error.code == .leased
      {}
    }
    return nil
  }

  func release(_ lease: FlowLease) async throws {
    try await base.release(mutation == .releasesAnything ? lastLease(lease.id) ?? lease : lease)
  }

  func claimDue(
    under epoch: Epoch, serving: [String: ClosedRange<Int>], limit: Int
  ) async throws -> [LeasedFlow] {
    switch mutation {
    case .claimsUnserved:
      return try await base.claimDue(under: epoch, serving: ["check": 0...9, "unknown": 0...9], limit: limit)
    case .claimsYoungest:
      let all = try await base.claimDue(under: epoch, serving: serving, limit: 1_000)
      for leased in all.dropLast(limit) { try await base.release(leased.lease) }
      return all.suffix(limit)
    case .claimsWhatWaits:
      var all = try await base.claimDue(under: epoch, serving: serving, limit: limit)
      for flow in try await base.list(FlowQuery(status: [.waiting]), after: nil, limit: 99).flows {
        if let leased = try? await base.acquire(flow.id, under: epoch) { all.append(leased) }
      }
      return Array(all.prefix(limit))
    case .limitsBeforeItFilters:
      let query = FlowQuery(status: [.waiting], dueBefore: clock.now)
      let due = try await base.list(query, after: nil, limit: 1_000).flows.sorted {
        ($0.wakeAt ?? .distantPast) < ($1.wakeAt ?? .distantPast)
      }
      var leases: [LeasedFlow] = []
      for flow in due.prefix(limit) where serving[flow.definition]?.contains(flow.version) == true {
        if let leased = try? await base.acquire(flow.id, under: epoch) { leases.append(leased) }
      }
      return leases
    case .endsOwnEpoch: if epoch.until <= clock.now { try await base.detach(epoch) }
    case .endsWhatIsOverdue:
      let overdue = seen.withLock { $0.epochs.values.filter { $0.until <= clock.now && $0.owner != epoch.owner } }
      for epoch in overdue { try await base.detach(epoch) }
    case .claimsOneFlowOfTheDead:
      let overdue = seen.withLock { $0.epochs.values.filter { $0.until <= clock.now && $0.owner != epoch.owner } }
      for epoch in overdue {
        for id in try await base.leased(to: epoch, after: nil, limit: 99).flows
        where try await base.load(id)?.snapshot.status == .runnable {
          try await base.release(FlowLease(of: id, under: epoch))
        }
      }
    default: break
    }
    let found = try await base.claimDue(under: epoch, serving: serving, limit: limit)
    let known = seen.withLock { seen in
      defer { for leased in found { seen.leases[leased.lease.id] = leased.lease } }
      return Set(seen.leases.keys)
    }
    if mutation == .claimsOnlyAfterTheTime {
      for leased in found where leased.flow?.snapshot.wakeAt == clock.now { try await base.release(leased.lease) }
      return found.filter { $0.flow?.snapshot.wakeAt != clock.now }
    }
    if mutation == .leavesTheDead { return found.filter { !known.contains($0.lease.id) } }
    if mutation == .claimsTwice {
      // Freed once each; otherwise a claimer that continues until nothing is due would never end.
      for leased in found where !known.contains(leased.lease.id) { try await base.release(leased.lease) }
    }
    return found
  }

  func nextDue(serving: [String: ClosedRange<Int>]) async throws -> Date? {
    mutation == .countsAllTimers
      ? try await base.list(FlowQuery(status: [.waiting]), after: nil, limit: 99).flows.compactMap(\.wakeAt).min()
      : try await base.nextDue(serving: serving)
  }

  func wanted(under epoch: Epoch) async throws -> [FlowID] {
    let wanted = try await base.wanted(under: epoch)
    if mutation == .keepsWishes { return seen.withLock { $0.leases.keys.sorted { "\($0)" < "\($1)" } } }
    return wanted
  }

  var changes: AsyncStream<StoreChange>? {
    mutation == .tellsNothing ? AsyncStream { $0.finish() } : base.changes
  }

  func leased(to epoch: Epoch, after cursor: String?, limit: Int) async throws -> LeasePage {
    if mutation == .listsOnePageOfLeases { return LeasePage(flows: [], cursor: nil) }
    var page = try await base.leased(to: epoch, after: cursor, limit: limit)
    if mutation == .skipsEmptyIDs { page.flows.removeAll { $0.description.isEmpty } }
    return page
  }
}
