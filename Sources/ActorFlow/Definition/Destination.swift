/// Where a value would lead in a flow; see ``Flow/destination(after:for:)``.
@nonexhaustive public enum Destination: Sendable, Hashable {
  /// To this step, which would be given what became of the value on the way.
  case step(StepID)
  /// Back to this step, as an update, provided that it stands on the stack.
  case update(StepID)
  /// To this fork, and in it to these branches at the same time.
  case fork(StepID, branches: [StepID])
  /// To the end of a branch: to where this fork joins the results.
  case join(StepID)
  /// To the flow's end.
  case end
}

extension Destination: CustomStringConvertible {
  /// The destination in a few words.
  public var description: String {
    switch self {
    case .step(let step): "\(step)"
    case .update(let step): "back to \(step)"
    case .fork(let fork, let branches): "\(fork): " + branches.map(\.path).joined(separator: ", ")
    case .join(let fork): "join of \(fork)"
    case .end: "end"
    }
  }
}
