internal import ActorFlow

// Assertions that name a step which asks or fails.
extension FlowTester {
  /// Asserts an event that names a step and, if it is not asserted yet, the move to that step right before it.
  @discardableResult
  func assertArrival(
    _ change: ExpectedChange, _ expected: String, _ location: SourceLocation
  ) async throws -> [NavigationEvent] {
    guard exhaustivity.isFull else { return try await assert([change], location) }
    let first = try await look(for: change)
    if case .event(let move) = first, case .moved(_, let visit) = move.change, !visit.isSkipped {
      let second = try await look(1, for: change)
      guard case .event(let event) = second, change.matches(event.change), event.change.step == visit.step else {
        throw await failure(expected, found: second.isEvent ? first : second, after: second.isEvent ? 0 : 1, location)
      }
      tape.take()
    } else {
      guard case .event(let event) = first, change.matches(event.change) else {
        throw await failure(expected, found: first, location)
      }
    }
    return [tape.take()].compactMap(\.self)
  }
}

extension Change {
  /// The step that asks or has failed.
  fileprivate var step: StepID? {
    switch self {
    case .asked(let question): question.step
    case .failed(let step, _): step
    default: nil
    }
  }
}
