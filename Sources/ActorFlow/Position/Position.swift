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
  /// Whether `backUp()` has somewhere to go; with several open branches it may ask to name one.
  public let canBackUp: Bool
  /// The signals that steps wait for, oldest first.
  public let waits: [Wait]
  /// The branches of the fork on top of the stack; empty if the step in focus is none.
  public let branches: [Branch]

  package init(
    stack: StepStack, questions: [Question], status: Status, canBackUp: Bool, waits: [Wait] = [],
    branches: [Branch] = []
  ) {
    self.stack = stack
    self.questions = questions
    self.status = status
    self.canBackUp = canBackUp
    self.waits = waits
    self.branches = branches
  }

  /// The step in focus.
  public var step: StepID? { stack.top?.step }
}
