public import ActorFlow

/// A page of a list of open questions, with a cursor to the next page.
///
/// The list has the order of the query, with the flows in an order of the store's own. A question that matches throughout,
/// and whose time in that order does not change, is on exactly one page, even if others come and go between two pages.
public struct TaskPage: Sendable, Equatable {
  /// The questions, in the order of the query.
  public var tasks: [TaskSummary]
  /// The cursor of the next page, which only the store that made it can read, for a query with the same order; `nil` on
  /// the last page.
  public var cursor: String?

  /// A page of these questions.
  public init(tasks: [TaskSummary], cursor: String?) {
    self.tasks = tasks
    self.cursor = cursor
  }
}

/// An open question, with the flow that asks it.
public struct TaskSummary: Sendable, Equatable {
  /// The flow that asks.
  public var flow: FlowID
  /// The name of the flow's definition.
  public var definition: String
  /// The labels of the flow.
  public var labels: [String: String]
  /// The question.
  public var task: OpenTask

  /// A flow's open question.
  public init(flow: FlowID, definition: String, labels: [String: String] = [:], task: OpenTask) {
    self.flow = flow
    self.definition = definition
    self.labels = labels
    self.task = task
  }
}
