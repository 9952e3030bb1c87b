/// A question that was open when an answer was refused.
///
/// Tells where an answerer may go on, and nothing that only an answerer may know: no prompt, no answer, and no secret
/// digits of an id.
public struct OpenQuestion: Sendable, Hashable, Codable {
  /// The step that asks.
  public let step: StepID
  /// The question's id. For a hosted flow without the digits that let their holder answer: find the question with
  /// this ``Question/ID/number`` in the flow's view, which says who may see it.
  public let id: Question.ID
  /// The prompt's revision, as in ``Question/revision``.
  public let revision: Int

  package init(step: StepID, id: Question.ID, revision: Int) {
    self.step = step
    self.id = Question.ID(flow: id.flow, run: id.run, number: id.number)
    self.revision = revision
  }
}
