import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation

extension MutantStore {
  func acquire(_ id: FlowID, owner: String, for time: Duration) async throws -> FlowLease {
    let last = lastLease(id)
    switch mutation {
    case .leasesTwice: if let last { try await base.release(last) }
    case .keepsFence: if let last, last.owner == owner { return try await base.renew(last, for: time) }
    case .leasesOnlyWhatIsThere:
      guard try await base.load(id) != nil else { throw FlowStoreError(.notFound, "no flow") }
    default: break
    }
    let lease = try await base.acquire(id, owner: owner, for: mutation == .neverExpires ? time * 1_000 : time)
    seen.withLock { $0.leases[id] = lease }
    guard mutation == .neverExpires else { return lease }
    return FlowLease(id: id, owner: owner, fence: lease.fence, until: clock.now.addingTimeInterval(10))
  }

  func renew(_ lease: FlowLease, for time: Duration) async throws -> FlowLease {
    try await base.renew(lease, for: mutation == .neverExpires ? time * 1_000 : time)
  }

  func release(_ lease: FlowLease) async throws {
    try await base.release(mutation == .releasesAnything ? lastLease(lease.id) ?? lease : lease)
  }

  func claimDue(
    owner: String, serving: [String: ClosedRange<Int>], for time: Duration, limit: Int
  ) async throws -> [FlowLease] {
    switch mutation {
    case .claimsUnserved:
      let all = ["check": 0...9, "unknown": 0...9]
      return try await base.claimDue(owner: owner, serving: all, for: time, limit: limit)
    case .claimsYoungest:
      let all = try await base.claimDue(owner: owner, serving: serving, for: time, limit: 1_000)
      for lease in all.dropLast(limit) { try await base.release(lease) }
      return all.suffix(limit)
    case .claimsWhatWaits:
      var all = try await base.claimDue(owner: owner, serving: serving, for: time, limit: limit)
      for flow in try await base.list(FlowQuery(status: [.waiting]), after: nil, limit: 99).flows {
        if let lease = try? await base.acquire(flow.id, owner: owner, for: time) { all.append(lease) }
      }
      return Array(all.prefix(limit))
    case .limitsBeforeItFilters:
      let query = FlowQuery(status: [.waiting], dueBefore: clock.now)
      let due = try await base.list(query, after: nil, limit: 1_000).flows.sorted {
        ($0.wakeAt ?? .distantPast) < ($1.wakeAt ?? .distantPast)
      }
      var leases: [FlowLease] = []
      for flow in due.prefix(limit) where serving[flow.definition]?.contains(flow.version) == true {
        if let lease = try? await base.acquire(flow.id, owner: owner, for: time) { leases.append(lease) }
      }
      return leases
    default: break
    }
    let found = try await base.claimDue(owner: owner, serving: serving, for: time, limit: limit)
    let known = seen.withLock { seen in
      defer { for lease in found { seen.leases[lease.id] = lease } }
      return Set(seen.leases.keys)
    }
    if mutation == .leavesTheDead { return found.filter { !known.contains($0.id) } }
    if mutation == .claimsTwice {
      // Freed once each; otherwise a claimer that continues until nothing is due would never end.
      for lease in found where !known.contains(lease.id) { try await base.release(lease) }
    }
    return found
  }
}
