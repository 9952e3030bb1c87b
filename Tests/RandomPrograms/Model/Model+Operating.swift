import ActorFlow

// The requests of an operator.
extension Model {
  /// The step that an operator can complete or enter anew, if one waits or has suspended the flow: its name, its input, and the value that an `Ask`
  /// combines its answer with.
  package var completable: (name: String, input: Value, carried: Value, onlyAsks: Bool)? {
    guard let place = current else { return nil }
    switch place.state {
    case .asking, .waiting, .first, .either, .updating:
      return (place.plan.name, place.input, place.carried, place.plan.onlyAsks)
    case .failed where fault != nil && place.isEntered:
      return (place.plan.name, place.input, place.carried, place.plan.onlyAsks)
    default: return nil
    }
  }

  /// Completes the step that waits or has failed, with an output in the place of its own.
  package func complete(with output: Value) -> String {
    guard completable != nil, let place = current else { return "notActive" }
    place.state = .made(output)
    fault = nil
    settle()
    return "ok"
  }

  /// The steps whose `backUp` can be called again, in the order in which they have thrown.
  package var owedSteps: [String] { owed.map(\.plan.name) }

  /// Calls the `backUp`s again that have thrown.
  package func compensateAgain(_ repair: World.Repair) -> String {
    guard !owed.isEmpty else { return "notActive" }
    for place in owed where repair != .failsAgain || place.plan.backUpOutcome == .failsAfter { refund(place) }
    guard repair == .works else { return "rollbackFailed" }
    owed = []
    return "ok"
  }

  /// Enters the step that waits or has failed anew. A step without an input has always the same.
  package func enterAnew(with input: Value) -> String {
    guard completable != nil, let place = current else { return "notActive" }
    place.state = .made(place.input)
    place.anew = input
    fault = nil
    settle()
    return "ok"
  }
}
