public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A flow in a store.
public struct StoredFlow: Sendable, Equatable {
  /// The flow's id.
  public var id: FlowID
  /// The number of commits of the flow.
  public var revision: Revision
  /// The snapshot that was committed last.
  public var snapshot: FlowSnapshot
  /// The time of the last commit, by the store's clock.
  public var changedAt: Date

  /// A stored flow of these parts.
  public init(id: FlowID, revision: Revision, snapshot: FlowSnapshot, changedAt: Date) {
    self.id = id
    self.revision = revision
    self.snapshot = snapshot
    self.changedAt = changedAt
  }
}
