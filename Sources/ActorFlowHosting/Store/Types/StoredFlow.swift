public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A flow as a store has it.
public struct StoredFlow: Sendable, Equatable {
  /// The flow's id.
  public var id: FlowID
  /// How often it was committed.
  public var revision: Revision
  /// What was committed last.
  public var snapshot: FlowSnapshot
  /// When that was, by the store's clock.
  public var changedAt: Date

  /// A stored flow of these parts.
  public init(id: FlowID, revision: Revision, snapshot: FlowSnapshot, changedAt: Date) {
    self.id = id
    self.revision = revision
    self.snapshot = snapshot
    self.changedAt = changedAt
  }
}
