extension FlowError {
  /// The questions that were open at the moment of the refusal, so that the answerer can be sent there.
  ///
  /// Set for an answer that is refused with ``Code/staleRevision``, ``Code/questionClosed`` or ``Code/noSuchQuestion``,
  /// in memory and on a host. Empty for every other error, and if nothing was open: the flow works, waits or is being
  /// left. The main line's question comes first, then those of branches, in the order of the branches. A question whose
  /// time is over is not listed, whether or not its timer has fired.
  public var openQuestions: [OpenQuestion] { outdated?.questions ?? [] }

  /// The page that a host shows instead of the one that was outdated.
  package var shownPage: (any Sendable)? { outdated?.page }

  private var outdated: Outdated? { attachment as? Outdated }

  /// The attachment of an error that refuses an outdated request.
  private final class Outdated: Sendable {
    let questions: [OpenQuestion]
    let page: (any Sendable)?

    init(_ questions: [OpenQuestion], _ page: (any Sendable)?) {
      (self.questions, self.page) = (questions, page)
    }
  }

  /// Returns the error with the questions that are open instead of the one it refuses.
  package func listing(_ questions: [OpenQuestion]) -> FlowError {
    questions.isEmpty ? self : attaching(Outdated(questions, shownPage))
  }

  /// Returns the error with the page to show instead.
  package func showing(_ page: any Sendable) -> FlowError { attaching(Outdated(openQuestions, page)) }

  private func attaching(_ outdated: Outdated) -> FlowError {
    FlowError(code, message, flow: flow, step: step, underlying: underlyingErrors, attaching: outdated)
  }
}
