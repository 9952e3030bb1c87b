internal import ActorFlow

/// The events of the run under test, read in order with look-ahead. Not Sendable: the tape belongs to one tester.
final class EventTape {
  /// The result of looking at one place of the tape.
  enum Look {
    case event(NavigationEvent)
    /// No event can come at this place before the test answers the question.
    case waitsForAnswer(Question)
    case ended
    /// No event came within the tester's patience.
    case silence
  }

  private let reader: Subscription
  let patience: Patience
  /// The events that were read and are not asserted yet.
  private(set) var unread: ArraySlice<NavigationEvent> = []
  /// The latest event taken.
  private(set) var last: NavigationEvent?

  init(_ coordinator: FlowCoordinator, patience: Patience) {
    reader = coordinator.makeSubscription()
    self.patience = patience
  }

  /// The position after the latest event that was read.
  var position: Position? { (unread.last ?? last)?.position }

  /// Reads the events that were published so far, without waiting.
  func listen() {
    while let event = reader.published() { unread.append(event) }
  }

  /// Returns the event that comes `ahead` events after the next one, or why there is none.
  ///
  /// Waits for the event, unless it cannot come before an answer.
  ///
  /// - Parameter duringQuestion: Whether the event can come while a step waits for an answer. A flow or a branch has
  ///   one step in focus, with at most one question. Whatever else the step does, the question is updated, withdrawn,
  ///   answered or closed by a leave before any other event of that flow or branch.
  /// - Throws: `CancellationError` if the task is cancelled.
  func look(_ ahead: Int = 0, duringQuestion: Bool) async throws -> Look {
    while unread.count <= ahead {
      listen()
      if unread.count > ahead { break }
      try Task.checkCancellation()
      if !duringQuestion, let question = position?.onlyAwaited { return .waitsForAnswer(question) }
      let read = try await patience.wait { [reader] in
        let event = await reader.next()
        if event == nil { try Task.checkCancellation() }
        return Read(event: event)
      }
      guard let read else { return .silence }
      guard let event = read.event else { return .ended }
      unread.append(event)
    }
    return .event(unread[unread.startIndex + ahead])
  }

  /// Removes and returns the next event, which now counts as asserted or skipped.
  @discardableResult
  func take() -> NavigationEvent? {
    guard let event = unread.popFirst() else { return nil }
    last = event
    return event
  }

  private struct Read: Sendable {
    let event: NavigationEvent?
  }
}

extension Position {
  /// An open question, if nothing can happen before an answer because every open branch asks one.
  fileprivate var onlyAwaited: Question? {
    guard let question = questions.first, !branches.isEmpty else { return questions.first }
    let asking = Set(questions.map(\.visit))
    return branches.allSatisfy { $0.waits(asking) } ? question : nil
  }
}

extension Branch {
  /// Whether the branch has ended, or nothing happens in it before one of these visits gets an answer.
  fileprivate func waits(_ asking: Set<VisitID>) -> Bool {
    if hasEnded { return true }
    guard branches.isEmpty else { return branches.allSatisfy { $0.waits(asking) } }
    return stack.top.map { asking.contains($0.id) } ?? false
  }
}
