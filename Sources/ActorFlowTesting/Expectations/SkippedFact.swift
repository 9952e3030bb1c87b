public import ActorFlow

/// A fact that a test has not asserted.
public enum SkippedFact: Sendable, CustomStringConvertible {
  /// An event that was skipped.
  case event(NavigationEvent)
  /// A question that was open at the end of the test.
  case openQuestion(Question)
  /// A flow that was running at the end of the test and asked nothing, with the step in focus, if there was one.
  case running(StepID?)

  /// The fact in a few words, such as `moved to checkout/pricing`.
  public var description: String {
    switch self {
    case .event(let event): event.change.summary
    case .openQuestion(let question): "open question \(question.summary)"
    case .running(let step?): "still running at \(step)"
    case .running(nil): "still running"
    }
  }
}
