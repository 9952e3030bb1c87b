internal import ActorFlow

// Events in words, for failures. The words are those of `ExpectedChange`.
extension Change {
  var summary: String {
    switch self {
    case .launched: "launched"
    case .moved(_, let visit): "\(visit.isSkipped ? "skipped" : "moved to") \(visit.step)"
    case .skipped(let step): "skipped \(step)"
    case .asked(let question): "asked \(question.summary)"
    case .updated(let question): "updated \(question.summary), revision \(question.revision)"
    case .answered(_, nil): "answered"
    case .answered(_, let principal?): "answered by \(principal.id)"
    case .withdrawn: "withdrawn"
    case .leaving(let visit, let reason): "leaving \(visit.step) (\(reason.summary))"
    case .backedUp(let from, let to, let errors): "backed up from \(from.step) to \(to.step)\(Self.list(errors))"
    case .caught(let step, let error, let catcher):
      "caught at \(step) by \(catcher), \(type(of: error)): \(error)"
    case .unwound(let visit, let errors): "unwound to \(visit?.step.path ?? "the beginning")\(Self.list(errors))"
    case .joined(let visit, let errors): "joined \(visit.step)\(Self.list(errors))"
    case .waiting(let wait): "waiting for signal \(wait.signal) at \(wait.step)"
    case .received(let wait): "received signal \(wait.signal) at \(wait.step)"
    case .stoppedWaiting(let wait): "stopped waiting for signal \(wait.signal) at \(wait.step)"
    case .finished: "finished"
    case .failed(let step, let error): "failed at \(step) with \(type(of: error)): \(error)"
    case .abandoned(let reason): reason.isEmpty ? "abandoned" : "abandoned (\(reason))"
    case .cancelled: "cancelled"
    case .rolledBack(let errors): "rolled back\(Self.list(errors))"
    }
  }

  private static func list(_ errors: [any Error]) -> String {
    guard !errors.isEmpty else { return "" }
    let count = errors.count == 1 ? "1 error" : "\(errors.count) errors"
    return " with \(count): " + errors.map { "\($0)" }.joined(separator: "; ")
  }
}

extension Question {
  var summary: String { "\(type(of: prompt as Any)) at \(step)" }
}

extension LeaveReason {
  var summary: String {
    switch self {
    case .back: "back"
    case .abandoned(let reason): reason.isEmpty ? "abandoned" : "abandoned: \(reason)"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .timedOut: "timed out"
    case .superseded: "superseded"
    }
  }
}

extension NavigationEvent {
  /// The event as a line of a list.
  var line: String { "\(sequence). \(change.summary)" }
}

extension Sequence<NavigationEvent> {
  /// The events as an indented list, on lines of its own.
  var list: String { map { "\n  \($0.line)" }.joined() }
}
