import ActorFlow

// The requests of an operator.
extension Model {
  /// The step that an operator can complete, if one waits: its name and its input.
  package var completable: (name: String, input: Value, onlyAsks: Bool)? {
    guard let place = current else { return nil }
    switch place.state {
    case .asking, .waiting, .first, .either, .updating: return (place.plan.name, place.input, place.plan.onlyAsks)
    default: return nil
    }
  }

  /// Completes the step that waits, with an output in the place of its own.
  package func complete(with output: Value) -> String {
    guard completable != nil, let place = current else { return "notActive" }
    place.state = .made(output)
    settle()
    return "ok"
  }
}
