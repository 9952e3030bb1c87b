public import ActorFlow

// Events of questions.
extension ExpectedChange {
  /// Expects that a question that shows a `P` was opened; with `step`, by that step.
  public static func asked<P: Prompt>(_ prompt: P.Type, at step: StepID? = nil) -> ExpectedChange {
    ExpectedChange("asked \(prompt)\(Self.at(step))") { change in
      guard case .asked(let question) = change else { return false }
      return question.prompt is P && step.matches(question.step)
    }
  }

  /// Expects that the prompt of an open question was replaced by another `P`; with `step`, by that step.
  public static func updated<P: Prompt>(_ prompt: P.Type, at step: StepID? = nil) -> ExpectedChange {
    ExpectedChange("updated \(prompt)\(Self.at(step))", duringQuestion: true) { change in
      guard case .updated(let question) = change else { return false }
      return question.prompt is P && step.matches(question.step)
    }
  }

  /// Expects that a question was answered, by any principal or none.
  public static let answered = ExpectedChange("answered", duringQuestion: true) { change in
    if case .answered = change { true } else { false }
  }

  /// Expects that a question was answered by `principal`; `nil` for an answer without a principal.
  public static func answered(by principal: Principal?) -> ExpectedChange {
    ExpectedChange("answered by \(principal?.id ?? "an anonymous answerer")", duringQuestion: true) { change in
      if case .answered(_, principal) = change { true } else { false }
    }
  }

  /// Expects that the asker gave its question up.
  public static let withdrawn = ExpectedChange("withdrawn", duringQuestion: true) { change in
    if case .withdrawn = change { true } else { false }
  }

  static func at(_ step: StepID?) -> String {
    step.map { " at \($0)" } ?? ""
  }
}
