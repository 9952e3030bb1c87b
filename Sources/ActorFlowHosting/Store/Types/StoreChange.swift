public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A change in a store that wakes a host before its next poll.
@nonexhaustive public enum StoreChange: Sendable, Hashable {
  /// A flow that no host holds has work to do at this time, or has had since.
  case due(FlowID, definition: String, at: Date)
  /// The lease of a flow that a host has wished for has ended.
  case freed(FlowID)
  /// A host wishes for a flow that is leased under this epoch.
  case wanted(FlowID, under: Fence)
}
