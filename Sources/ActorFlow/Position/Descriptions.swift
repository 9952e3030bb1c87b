// Single-line descriptions for service logs, made of names and numbers only. A prompt is shown by its type, because its
// content may be confidential. A question is shown without the secret part of its id.

extension Change: CustomStringConvertible {
  /// The change in a few words, such as `moved shop/cart → shop/payment`.
  public var description: String {
    backUpErrors.isEmpty ? words : "\(words), errors: \(backUpErrors.joined(separator: "; "))"
  }

  /// The change without the errors of `backUp`s.
  package var words: String {
    switch self {
    case .launched: "launched"
    case .moved(let from, let to):
      "moved \(from.map { "\($0.step) → " } ?? "to ")\(to.step)\(to.isSkipped ? " (skipped)" : "")"
    case .skipped(let step): "skipped \(step)"
    case .finalizing(let name): "finalizing \(name)"
    case .asked(let question): "asked \(question)"
    case .updated(let question): "updated \(question)"
    case .answered(let question, let principal):
      "answered \(question.debugDescription)\(principal.map { " by \($0.id)" } ?? "")"
    case .withdrawn(let question): "withdrawn \(question.debugDescription)"
    case .leaving(let visit, let reason): "leaving \(visit.step): \(reason)"
    case .backedUp(let from, let to, _): "backed up \(from.step) → \(to.step)"
    case .caught(let step, let error, let catcher): "caught \(step): \(error); \(catcher)"
    case .unwound(let visit, _): "unwound to \(visit?.step.path ?? "the beginning")"
    case .suspended(let step, let error): "suspended at \(step): \(error)"
    case .joined(let visit, _): "joined \(visit.step)"
    case .waiting(let wait): "waiting at \(wait)"
    case .received(let wait): "received at \(wait)"
    case .stoppedWaiting(let wait): "stopped waiting at \(wait)"
    case .finished: "finished"
    case .failed(let step, let error): "failed \(step): \(error)"
    case .abandoned(let reason): reason.isEmpty ? "abandoned" : "abandoned: \(reason)"
    case .cancelled: "cancelled"
    case .rolledBack: "rolled back"
    }
  }

  /// The descriptions of the errors that `backUp`s threw.
  package var backUpErrors: [String] {
    switch self {
    case .backedUp(_, _, let errors), .unwound(_, let errors), .joined(_, let errors), .rolledBack(let errors):
      errors.map { "\($0)" }
    default: []
    }
  }
}

extension LeaveReason: CustomStringConvertible {
  /// The reason in a few words.
  public var description: String {
    switch self {
    case .back: "back"
    case .abandoned(let reason): reason.isEmpty ? "abandoned" : "abandoned: \(reason)"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .timedOut: "timed out"
    case .superseded: "superseded"
    case .completed: "completed"
    case .enteredAnew: "entered anew"
    }
  }
}

extension Wait: CustomStringConvertible {
  /// The step and the signal.
  public var description: String { "\(step): \(signal)" }
}

extension Branch: CustomStringConvertible {
  /// The path and the stack.
  public var description: String { "\(path) at \(stack)\(hasEnded ? ", ended" : "")" }
}

extension Question: CustomStringConvertible {
  /// The id without its secret part, the step, the prompt's type, and the revision.
  public var description: String { "\(id.debugDescription) at \(step): \(type(of: prompt)), revision \(revision)" }
}

extension StepStack: CustomStringConvertible {
  /// The steps, top first.
  public var description: String { "[" + map(\.step.path).joined(separator: ", ") + "]" }
}

extension Position: CustomStringConvertible {
  /// The status, stack, branches, open questions and waits.
  public var description: String {
    "\(status) at \(stack)" + (branches.isEmpty ? "" : ", branches \(branches)")
      + (waits.isEmpty ? "" : ", waiting \(waits)")
      + (questions.isEmpty ? "" : ", asking \(questions)") + (canBackUp ? ", can back up" : "")
  }
}

extension NavigationEvent: CustomStringConvertible {
  /// The flow, run, number and change.
  public var description: String { "\(flow)/\(run) #\(sequence): \(change)" }
}
