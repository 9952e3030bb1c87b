public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The right to run a flow for a time.
///
/// The lease is over at ``until``. The owner may still write afterwards, as long as no later lease was given.
public struct FlowLease: Sendable, Equatable {
  /// The leased flow.
  public var id: FlowID
  /// The holder of the lease.
  public var owner: String
  /// The fence of the lease, to write with.
  public var fence: Fence
  /// The end of the lease, by the store's clock.
  public var until: Date

  /// A lease of these parts.
  public init(id: FlowID, owner: String, fence: Fence, until: Date) {
    self.id = id
    self.owner = owner
    self.fence = fence
    self.until = until
  }
}
