public import ActorFlow

/// The right of a host to run a flow and to write it.
///
/// A lease lasts until it is released or its host's ``Epoch`` ends.
public struct FlowLease: Sendable, Hashable {
  /// The leased flow.
  public var id: FlowID
  /// The name of the host that holds the lease.
  public var owner: String
  /// The number of the host's epoch, to write with.
  public var fence: Fence

  /// A lease of these parts.
  public init(id: FlowID, owner: String, fence: Fence) {
    self.id = id
    self.owner = owner
    self.fence = fence
  }

  /// The lease of a flow under a host's epoch.
  public init(of id: FlowID, under epoch: Epoch) {
    self.init(id: id, owner: epoch.owner, fence: epoch.fence)
  }
}

/// A lease with the flow as it is stored, so that a host need not load what it has leased.
public struct LeasedFlow: Sendable, Equatable {
  /// The lease.
  public var lease: FlowLease
  /// The flow as it was stored when the lease was given, or `nil` if there is no such flow yet.
  public var flow: StoredFlow?

  /// A lease of a flow.
  public init(_ lease: FlowLease, _ flow: StoredFlow?) {
    self.lease = lease
    self.flow = flow
  }
}

/// A page of the ids of flows that are leased under an epoch, with a cursor to the next page.
public struct LeasePage: Sendable, Equatable {
  /// The ids, in an order of the store's own.
  public var flows: [FlowID]
  /// The cursor of the next page, which only the store that made it can read; `nil` on the last page.
  public var cursor: String?

  /// A page of these ids.
  public init(flows: [FlowID], cursor: String?) {
    self.flows = flows
    self.cursor = cursor
  }
}
