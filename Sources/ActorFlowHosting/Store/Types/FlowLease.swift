public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The right to run a flow for a time. It is over at ``until``; who was given it may still write then, as long as nobody
/// else was given a later one.
public struct FlowLease: Sendable, Equatable {
  /// The flow.
  public var id: FlowID
  /// Who holds it.
  public var owner: String
  /// The lease's number, to write with.
  public var fence: Fence
  /// When it is over, by the store's clock.
  public var until: Date

  /// A lease of these parts.
  public init(id: FlowID, owner: String, fence: Fence, until: Date) {
    self.id = id
    self.owner = owner
    self.fence = fence
    self.until = until
  }
}
