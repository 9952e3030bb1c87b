public import ActorFlow

/// A question that shows a `P`, as ``FlowTester/question(_:at:fileID:line:)`` found it.
public struct ShownQuestion<P: Prompt>: Sendable, Identifiable {
  /// The question, as events and positions contain it.
  public let question: Question
  /// The prompt that the question shows.
  public let prompt: P

  init?(_ question: Question) {
    guard let prompt = question.prompt as? P else { return nil }
    self.question = question
    self.prompt = prompt
  }

  /// The question's id, for the coordinator's own methods.
  public var id: Question.ID { question.id }

  /// The step that asks.
  public var step: StepID { question.step }
}
