internal import ActorFlow

// Messages for failures.
extension FlowTester {
  /// Returns the failure for finding something else than what was expected.
  ///
  /// - Parameter index: The number of unread events before what was found; they were as expected.
  func failure(
    _ expected: String, found: EventTape.Look, after index: Int = 0, _ location: SourceLocation
  ) async -> FlowTestFailure {
    tape.listen()
    let text: String
    var isStuck = false
    switch found {
    case .event(let event): text = "found: \(event.line)"
    case .waitsForAnswer(let question): text = "the flow waits for an answer to \(question.summary)"
    case .ended: text = "the flow has ended: \(tape.last.map(\.line) ?? "before its first step")"
    case .silence:
      let standing = await standing()
      text = "nothing happened for \(tape.patience.limit); \(standing.text)"
      isStuck = standing.isStuck
    }
    var message = "expected \(expected), but \(text)"
    let rest = tape.unread.dropFirst(found.isEvent ? index + 1 : 0)
    if !rest.isEmpty { message += "\nwhat follows:\(rest.list)" }
    if !skipped.isEmpty {
      message += "\nskipped until then:" + skipped.map { "\n  \($0)" }.joined()
    }
    return FlowTestFailure(message, at: location, namesStuckStep: isStuck)
  }

  /// Returns the failure for a request that threw.
  func failure(of what: String, _ error: any Error, _ location: SourceLocation) async -> FlowTestFailure {
    tape.listen()
    var message = "\(what) failed: \(error)"
    if !tape.unread.isEmpty { message += "\nnot asserted yet:\(tape.unread.list)" }
    return FlowTestFailure(message, at: location, underlying: error)
  }

  /// Describes where the flow stands when nothing happens, and says whether a step does not return.
  func standing() async -> (text: String, isStuck: Bool) {
    let position = await coordinator.position
    switch position.status {
    case .idle: return ("the flow has not begun", false)
    case .leaving(let visit, let since):
      let text = """
        \(visit.step) does not return: visit \(visit.id) was left \(since) after the run began, but its `proceed`, or a \
        `backUp` on the way, is still running; a step must return when its task is cancelled
        """
      return (text, true)
    case .rollingBack:
      let steps = position.stack.map { "\($0.step)" }.joined(separator: ", ")
      return ("the flow is rolling back, and a `backUp` of one of these steps has not returned: \(steps)", true)
    case .ended: return ("the flow has ended", false)
    case .running:
      if let question = position.questions.first {
        return ("the flow waits for an answer to \(question.summary)", false)
      }
      if let wait = position.waits.first {
        return ("the flow waits for the signal \"\(wait.signal)\" at \(wait.step)", false)
      }
      let hint =
        passivation == .everyQuestion
        ? "; with `passivating: .everyQuestion` its task is cancelled with each answer, and must then end" : ""
      return ("the flow is running \(position.step.map { "at \($0)" } ?? "towards its first step")\(hint)", false)
    }
  }
}

extension EventTape.Look {
  var isEvent: Bool {
    if case .event = self { true } else { false }
  }
}
