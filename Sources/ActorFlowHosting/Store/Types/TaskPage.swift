public import ActorFlow

/// Some open questions of a list, and where it goes on. Ordered and paged as a ``FlowPage`` is: by flow, then question.
public struct TaskPage: Sendable, Equatable {
  /// The questions, by their flow's id.
  public var tasks: [TaskSummary]
  /// What to ask for the next page with; nil if this is the last. Only the store that made it can read it.
  public var cursor: String?

  /// A page of these questions.
  public init(tasks: [TaskSummary], cursor: String?) {
    self.tasks = tasks
    self.cursor = cursor
  }
}

/// An open question, and whose it is.
public struct TaskSummary: Sendable, Equatable {
  /// The flow that asks.
  public var flow: FlowID
  /// The name of the flow's definition.
  public var definition: String
  /// The question.
  public var task: OpenTask

  /// A flow's open question.
  public init(flow: FlowID, definition: String, task: OpenTask) {
    self.flow = flow
    self.definition = definition
    self.task = task
  }
}
