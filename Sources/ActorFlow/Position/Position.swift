/// Where a flow stands after an event.
///
/// A position is a value that shares what it holds with the positions before and after it; keeping it keeps no step
/// alive.
public struct Position: Sendable {
  /// The visits that led here, top first.
  public let stack: StepStack
  /// The open questions, oldest first.
  public let questions: [Question]
  /// What the flow is doing.
  public let status: Status
  /// Whether `backUp()` has somewhere to go.
  public let canBackUp: Bool

  package init(stack: StepStack, questions: [Question], status: Status, canBackUp: Bool) {
    self.stack = stack
    self.questions = questions
    self.status = status
    self.canBackUp = canBackUp
  }

  /// The step in focus.
  public var step: StepID? { stack.top?.step }
}
