public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A page of a list of flows, with a cursor to the next page.
///
/// The list has an order of the store's own, in which a flow keeps its place. A flow that matches throughout is on
/// exactly one page, even if others come and go between two pages.
public struct FlowPage: Sendable, Equatable {
  /// The flows, in that order.
  public var flows: [FlowSummary]
  /// The cursor of the next page, which only the store that made it can read; `nil` on the last page.
  public var cursor: String?

  /// A page of these flows.
  public init(flows: [FlowSummary], cursor: String?) {
    self.flows = flows
    self.cursor = cursor
  }
}

/// A flow in a list: everything about it except its body and its open questions.
public struct FlowSummary: Sendable, Equatable {
  /// The flow's id.
  public var id: FlowID
  /// The number of commits of the flow.
  public var revision: Revision
  /// The name of the flow's definition.
  public var definition: String
  /// The version of the definition that the flow follows.
  public var version: Int
  /// The status: what the flow waits for, or how it ended.
  public var status: FlowSnapshot.Status
  /// Whether a `backUp` has thrown that can be called again, in a flow that is open or has ended.
  public var rollbackFailed: Bool
  /// The steps in focus.
  public var steps: [StepID]
  /// The labels that the host's users attached.
  public var labels: [String: String]
  /// The time when the earliest timer is due, if there is one.
  public var wakeAt: Date?
  /// The time of the flow's start, if its row has it; see ``FlowSnapshot/startedAt``.
  public var startedAt: Date?
  /// The time of the last commit.
  public var changedAt: Date

  /// Creates the summary of a stored flow.
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
    startedAt = flow.snapshot.startedAt
    changedAt = flow.changedAt
  }
}
