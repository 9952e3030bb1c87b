internal import ActorFlow

// Events in words, for failures. They use the words of `ExpectedChange`, so that both can be compared, and the words of
// the log where the two agree.
extension Change {
  var summary: String {
    let errors = backUpErrors
    guard !errors.isEmpty else { return expectedWords }
    return "\(expectedWords)\(ExpectedChange.failing(errors.count)): \(errors.joined(separator: "; "))"
  }

  private var expectedWords: String {
    switch self {
    case .moved(_, let visit): "\(visit.isSkipped ? "skipped" : "moved to") \(visit.step)"
    case .asked(let question): "asked \(question.summary)"
    case .updated(let question): "updated \(question.summary), revision \(question.revision)"
    case .answered(_, nil): "answered"
    case .answered(_, let principal?): "answered by \(principal.id)"
    case .withdrawn: "withdrawn"
    case .leaving(let visit, let reason): "leaving \(visit.step) (\(reason))"
    case .backedUp(let from, let to, _): "backed up from \(from.step) to \(to.step)"
    case .caught(let step, let error, let catcher): "caught at \(step) by \(catcher), \(type(of: error)): \(error)"
    case .waiting(let wait): "waiting for signal \(wait.signal) at \(wait.step)"
    case .received(let wait): "received signal \(wait.signal) at \(wait.step)"
    case .stoppedWaiting(let wait): "stopped waiting for signal \(wait.signal) at \(wait.step)"
    case .suspended(let step, let error): "suspended at \(step) with \(type(of: error)): \(error)"
    case .failed(let step, let error): "failed at \(step) with \(type(of: error)): \(error)"
    case .abandoned(let reason): reason.isEmpty ? "abandoned" : "abandoned (\(reason))"
    case .launched, .skipped, .finalizing, .unwound, .joined, .finished, .cancelled, .rolledBack: words
    }
  }
}

extension Question {
  var summary: String { "\(type(of: prompt as Any)) at \(step)" }
}

extension NavigationEvent {
  /// The event as one line of a list.
  var line: String { "\(sequence). \(change.summary)" }
}

extension Sequence<NavigationEvent> {
  /// The events as an indented list that begins on a new line.
  var list: String { map { "\n  \($0.line)" }.joined() }
}
