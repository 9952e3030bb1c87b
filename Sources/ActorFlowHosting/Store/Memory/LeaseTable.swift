import ActorFlow

/// The hosts and leases of a store in memory, with times in microseconds since 1970.
///
/// A lease is here only while its epoch has not ended.
struct LeaseTable: Sendable {
  struct Host: Sendable {
    let fence: Fence
    let attempt: CommitID
    var until: Int64
  }

  private var hosts = TextMap<Host>()
  private var leases: [FlowID: FlowLease] = [:]
  /// The flows that are leased under each epoch that leases any.
  private var flows: [Fence: SortedList<TextKey>] = [:]
  private var lastFence = 0
  /// The leased flows that a host wishes for.
  private var wishes: Set<FlowID> = []

  /// Notes that a host wishes for a leased flow. Returns the lease if the wish is new.
  mutating func wish(for id: FlowID) -> FlowLease? {
    guard let lease = leases[id], wishes.insert(id).inserted else { return nil }
    return lease
  }

  /// Ends the wish for a flow whose lease has ended. Returns whether there was one.
  mutating func takeWish(for id: FlowID) -> Bool { wishes.remove(id) != nil }

  func wanted(under epoch: Epoch) -> [FlowID] { wishes.filter { leases[$0]?.fence == epoch.fence } }

  subscript(id: FlowID) -> FlowLease? { leases[id] }

  // MARK: - Epochs

  /// Returns the fence of the new epoch, and the flows that the end of the old one has freed.
  mutating func attach(
    _ owner: String, until: Int64, as attempt: CommitID, after old: Epoch?
  ) throws(FlowStoreError) -> (Fence, freed: [FlowID]) {
    if let host = hosts[owner] {
      if host.attempt == attempt {
        hosts[owner]?.until = until
        return (host.fence, [])
      }
      if let old, old.fence != host.fence {
        throw FlowStoreError(.fenced, "another host has attached under the name \(owner)")
      }
    }
    let freed = end(owner)
    lastFence += 1
    let host = Host(fence: Fence(lastFence), attempt: attempt, until: until)
    hosts[owner] = host
    return (host.fence, freed)
  }

  mutating func beat(_ epoch: Epoch, until: Int64) throws(FlowStoreError) {
    try check(epoch)
    hosts[epoch.owner]?.until = until
  }

  /// Returns the flows that the end of the epoch has freed.
  mutating func detach(_ epoch: Epoch) -> [FlowID] {
    hosts[epoch.owner]?.fence == epoch.fence ? end(epoch.owner) : []
  }

  /// The names of the hosts whose beat is overdue, except that of this epoch.
  func overdue(at now: Int64, except epoch: Epoch) -> [String] {
    hosts.filter { $0.value.until <= now && $0.value.fence != epoch.fence }.map(\.key)
  }

  func flows(of owner: String) -> [FlowID] {
    var found: [FlowID] = []
    guard let fence = hosts[owner]?.fence else { return found }
    flows[fence]?.visit(after: nil) { name in
      found.append(FlowID(name.text))
      return true
    }
    return found
  }

  /// Ends the epoch of a host, and returns the flows that were leased to it.
  mutating func end(_ owner: String) -> [FlowID] {
    let freed = flows(of: owner)
    for id in freed { leases[id] = nil }
    if let host = hosts.removeValue(forKey: owner) { flows[host.fence] = nil }
    return freed
  }

  func check(_ epoch: Epoch) throws(FlowStoreError) {
    guard hosts[epoch.owner]?.fence == epoch.fence else {
      throw FlowStoreError(.fenced, "the epoch \(epoch.fence) of the host \(epoch.owner) has ended")
    }
  }

  // MARK: - Leases

  /// Throws unless a write under `fence` is allowed.
  func check(_ fence: Fence?, of id: FlowID, at now: Int64) throws(FlowStoreError) {
    let current = leases[id]
    if let fence {
      guard fence == current?.fence else {
        let found = current.map { "under the epoch \($0.fence)" } ?? "to nobody"
        throw FlowStoreError(.fenced, "the flow \(id.shown) is not leased under the epoch \(fence), but \(found)")
      }
    } else if let current, isBeating(current.owner, at: now) {
      throw leased(current)
    }
  }

  private func isBeating(_ owner: String, at now: Int64) -> Bool { hosts[owner].map { now < $0.until } ?? false }

  /// Leases a flow, and returns the flows that the end of an overdue epoch has freed.
  mutating func give(_ id: FlowID, under epoch: Epoch, at now: Int64) throws(FlowStoreError) -> [FlowID] {
    try check(epoch)
    var freed: [FlowID] = []
    if let current = leases[id] {
      guard current.fence != epoch.fence else { return [] }
      guard !isBeating(current.owner, at: now) else { throw leased(current) }
      freed = end(current.owner)
    }
    leases[id] = FlowLease(of: id, under: epoch)
    flows[epoch.fence, default: SortedList()].insert(TextKey(id.description))
    return freed
  }

  /// Ends the lease of a flow under an epoch; returns `false` if there is none.
  @discardableResult
  mutating func giveBack(_ fence: Fence, of id: FlowID) -> Bool {
    guard leases[id]?.fence == fence else { return false }
    leases[id] = nil
    flows[fence]?.remove(TextKey(id.description))
    if flows[fence]?.count == 0 { flows[fence] = nil }
    return true
  }

  /// Ends the lease of a flow that is deleted.
  mutating func forget(_ id: FlowID) {
    if let lease = leases[id] { giveBack(lease.fence, of: id) }
  }

  private func leased(_ lease: FlowLease) -> FlowStoreError {
    FlowStoreError(.leased, "the host \(lease.owner) holds a lease of the flow \(lease.id.shown)")
  }

  func page(of epoch: Epoch, after cursor: String?, limit: Int) throws(FlowStoreError) -> LeasePage {
    let start = try cursor.map { (text) throws(FlowStoreError) in TextKey(try StoreCursor(text, parts: 1).parts[0]) }
    let limit = max(1, limit)
    var found: [TextKey] = []
    var more = false
    flows[epoch.fence]?.visit(after: start) { name in
      guard found.count < limit else {
        more = true
        return false
      }
      found.append(name)
      return true
    }
    return LeasePage(
      flows: found.map { FlowID($0.text) }, cursor: more ? found.last.map { StoreCursor([$0.text]).description } : nil)
  }
}
