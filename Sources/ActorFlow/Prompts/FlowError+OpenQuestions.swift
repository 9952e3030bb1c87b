extension FlowError {
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

  /// The questions that were open at the moment of the refusal, so that the answerer can be sent there.
  ///
  /// Set for an answer that is refused with ``Code/staleRevision``, ``Code/questionClosed`` or ``Code/noSuchQuestion``,
  /// in memory and on a host. Empty for every other error, and if nothing was open: the flow works, waits or is being
  /// left. The main line's question comes first, then those of branches, in the order of the branches. A question whose
  /// time is over is not listed, whether or not its timer has fired.
  public var openQuestions: [OpenQuestion] { (attachment as? OpenQuestions)?.all ?? [] }

  /// The attachment of an error that lists open questions.
  private final class OpenQuestions: Sendable {
    let all: [OpenQuestion]

    init(_ all: [OpenQuestion]) {
      self.all = all
    }
  }

  /// Returns the error with the questions that are open instead of the one it refuses.
  package func listing(_ questions: [OpenQuestion]) -> FlowError {
    guard !questions.isEmpty else { return self }
    return FlowError(
      code, message, flow: flow, step: step, underlying: underlyingErrors, attaching: OpenQuestions(questions))
  }
}
