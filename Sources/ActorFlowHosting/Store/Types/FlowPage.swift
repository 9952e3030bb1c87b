public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Some flows of a list, and where it goes on.
///
/// The list is ordered by id, in an order of the store's own. A flow that stood in it all the while is in exactly one
/// page, whatever else comes and goes between two pages.
public struct FlowPage: Sendable, Equatable {
  /// The flows, by id.
  public var flows: [FlowSummary]
  /// What to ask for the next page with; nil if this is the last. Only the store that made it can read it.
  public var cursor: String?

  /// A page of these flows.
  public init(flows: [FlowSummary], cursor: String?) {
    self.flows = flows
    self.cursor = cursor
  }
}

/// What a list says of a flow: everything but its body and its open questions.
public struct FlowSummary: Sendable, Equatable {
  /// The flow's id.
  public var id: FlowID
  /// How often it was committed.
  public var revision: Revision
  /// The name of the flow's definition.
  public var definition: String
  /// The version of the definition that the flow follows.
  public var version: Int
  /// What the flow waits for, or how it ended.
  public var status: FlowSnapshot.Status
  /// Whether a `backUp` threw when the flow was rolled back.
  public var rollbackFailed: Bool
  /// The steps in focus.
  public var steps: [StepID]
  /// What the host's users attached.
  public var labels: [String: String]
  /// When the earliest timer is due, if there is one.
  public var wakeAt: Date?
  /// When the flow was committed last.
  public var changedAt: Date

  /// What a list says of a stored flow.
  public init(_ flow: StoredFlow) {
    id = flow.id
    revision = flow.revision
    definition = flow.snapshot.definition
    version = flow.snapshot.version
    status = flow.snapshot.status
    rollbackFailed = flow.snapshot.rollbackFailed
    steps = flow.snapshot.steps
    labels = flow.snapshot.labels
    wakeAt = flow.snapshot.wakeAt
    changedAt = flow.changedAt
  }
}
