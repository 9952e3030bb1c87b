public import ActorFlow

/// A page of open questions with their prompts, and a cursor to the next page.
public struct QuestionPage: Sendable {
  /// The questions, in the order of the query.
  public let questions: [ListedQuestion]
  /// The cursor of the next page; `nil` on the last page. ``FlowHost/tasks(_:after:limit:by:)`` takes it, too.
  public let cursor: String?
}

/// An open question in a list, with the flow that asks it.
public struct ListedQuestion: Sendable {
  /// The flow that asks.
  public let flow: FlowID
  /// The name of the flow's definition.
  public let definition: String
  /// The labels of the flow.
  public let labels: [String: String]
  /// The question as the store indexes it, with the id to answer with, also if its prompt is not shown.
  public let task: OpenTask
  /// The question with its prompt, or the reason why that is not shown: the error of the guard
  /// ``FlowHost/Options/access``, a `FlowError` with the code `erased`, or the error of the codec or of a store that cannot
  /// read the flow.
  public let question: Result<StoredQuestion, any Error>
}
