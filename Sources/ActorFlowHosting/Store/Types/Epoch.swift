#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The right of a host to lease flows, from its attaching until the epoch is ended.
///
/// A host keeps its epoch alive with one call, ``LeasingFlowStore/beat(_:for:)``, however many flows it has. All leases
/// of the host name the epoch and end with it.
public struct Epoch: Sendable, Hashable {
  /// The name of the host.
  public var owner: String
  /// The number of the epoch, and the fence of every write that the host makes under it.
  public var fence: Fence
  /// The time at which the next beat is overdue, by the store's clock.
  ///
  /// An overdue epoch is valid until another host wants a flow that is leased under it.
  public var until: Date

  /// An epoch of these parts.
  public init(owner: String, fence: Fence, until: Date) {
    self.owner = owner
    self.fence = fence
    self.until = until
  }
}
