package import ActorFlow

/// Follows the events of a run, and throws where they are inconsistent (rule 5).
package struct EventFold {
  package private(set) var sequence = 0
  private var open: Set<Question.ID> = []
  private var hasEntered = false
  private var isEnding = false
  private var hasEnded = false
  private var time = Duration.zero

  package init() {}

  package mutating func take(_ event: NavigationEvent) throws(Violation) {
    try expectEqual(event.sequence, sequence + 1, "rule 5: the event's number")
    sequence += 1
    try expect(!hasEnded, "rule 5: \(event.change) after the end")
    try expect(event.at >= time, "\(event.change) at \(event.at), and the event before it at \(time)")
    time = event.at
    try foldQuestions(event)
    try checkFocus(event)
    try checkEnding(event)
  }

  /// A question is asked once and closed once, and the position shows the open questions.
  private mutating func foldQuestions(_ event: NavigationEvent) throws(Violation) {
    let shown = Set(event.position.questions.map(\.id))
    switch event.change {
    case .asked(let question):
      try expect(open.insert(question.id).inserted, "rule 6: \(question.id) is asked twice")
    case .answered(let id, _), .withdrawn(let id):
      try expect(open.remove(id) != nil, "rule 6: \(id) is closed, and was not open")
    case .leaving, .failed, .caught:
      try expect(shown.isSubset(of: open), "rule 6: \(shown.subtracting(open)) have come up by themselves")
      open = shown
    default: break
    }
    try expectEqual(shown, open, "rule 5: the open questions after \(event.change)")
  }

  /// From the first entering on, a running flow has a step in focus.
  private mutating func checkFocus(_ event: NavigationEvent) throws(Violation) {
    if case .moved = event.change { hasEntered = true }
    guard hasEntered, case .running = event.position.status else { return }
    try expect(!event.position.stack.isEmpty, "rule 5: running without a step in focus after \(event.change)")
  }

  private mutating func checkEnding(_ event: NavigationEvent) throws(Violation) {
    switch (event.change, event.position.status) {
    case (.failed, .rollingBack), (.abandoned, .rollingBack), (.cancelled, .rollingBack): isEnding = true
    case (.rolledBack, .ended): try expect(isEnding, "rule 13: rolled back, and was not ending")
    case (.finished, .ended(.finished)), (.abandoned, .ended):
      try expect(!isEnding, "rule 13: \(event.change), and was ending already")
    case (_, .ended), (.finished, _): throw Violation("rule 13: \(event.change) with \(event.position.status)")
    case (let change, _): try expect(!isEnding, "rule 13: \(change) while the flow ends")
    }
    if case .ended = event.position.status { hasEnded = true }
  }

  /// The last event must have ended the run.
  package static func check(_ events: [NavigationEvent]) throws(Violation) {
    var fold = EventFold()
    for event in events { try fold.take(event) }
    try expect(
      fold.hasEnded, "rule 13: the last event does not end the run: \(events.last.map { "\($0.change)" } ?? "-")")
  }
}
