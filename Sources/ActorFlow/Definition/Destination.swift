/// The destination of a value in a flow; see ``Flow/destination(after:for:)``.
@nonexhaustive public enum Destination: Sendable, Hashable {
  /// This step. Its input is the value, as transformed on the way.
  case step(StepID)
  /// This earlier step, which receives the value as an update, provided that the step is on the stack.
  case update(StepID)
  /// This fork, and these branches of it at the same time.
  case fork(StepID, branches: [StepID])
  /// The end of a branch, where this fork joins the results.
  case join(StepID)
  /// The end of the flow.
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
