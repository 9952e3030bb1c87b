import ActorFlow

/// The leases of a store in memory, with times in microseconds since 1970.
struct LeaseTable: Sendable {
  struct Entry: Sendable {
    /// The owner; `nil` if the lease was released, but its fence still invalidates older ones.
    var owner: String?
    var fence: Fence
    var until: Int64

    func stands(at now: Int64) -> Bool { owner != nil && now < until }
  }

  private var entries: [FlowID: Entry] = [:]
  private var lastFence = 0

  subscript(id: FlowID) -> Entry? { entries[id] }

  /// Throws unless a write under `fence` is allowed.
  func check(_ fence: Fence?, of id: FlowID, at now: Int64) throws(FlowStoreError) {
    let current = entries[id]
    if let fence {
      guard fence == current?.fence else {
        throw FlowStoreError(
          .fenced, "the lease \(fence) of the flow \(id) is over: \(current.map { "\($0.fence)" } ?? "none") is current"
        )
      }
    } else if let current, current.stands(at: now) {
      throw leased(id, current)
    }
  }

  /// Gives a new lease; throws `leased` while another owner's lease is valid.
  mutating func give(_ id: FlowID, to owner: String, at now: Int64, until: Int64) throws(FlowStoreError) -> Fence {
    if let current = entries[id], current.stands(at: now), current.owner != owner { throw leased(id, current) }
    lastFence += 1
    let fence = Fence(lastFence)
    entries[id] = Entry(owner: owner, fence: fence, until: until)
    return fence
  }

  mutating func extend(_ lease: FlowLease, until: Int64) throws(FlowStoreError) {
    guard let current = entries[lease.id], current.fence == lease.fence, current.owner != nil else {
      throw FlowStoreError(.fenced, "the lease \(lease.fence) of the flow \(lease.id) is over")
    }
    entries[lease.id]?.until = until
  }

  /// Releases a lease; returns `false` if it was lost before.
  mutating func giveBack(_ fence: Fence, of id: FlowID) -> Bool {
    guard entries[id]?.fence == fence else { return false }
    entries[id]?.owner = nil
    return true
  }

  mutating func forget(_ id: FlowID) {
    entries[id] = nil
  }

  private func leased(_ id: FlowID, _ entry: Entry) -> FlowStoreError {
    FlowStoreError(.leased, "\(entry.owner ?? "another owner") holds a lease of the flow \(id)")
  }
}
