internal import ActorFlow

/// The events of the run under test, read in order, with a look ahead. Not Sendable: it belongs to one tester.
final class EventTape {
  /// What stands at a place of the tape.
  enum Look {
    case event(NavigationEvent)
    /// Nothing can come there before the test answers this.
    case waitsForAnswer(Question)
    case ended
    /// Patience ran out.
    case silence
  }

  private let reader: Subscription
  let patience: Patience
  /// Read, but not asserted yet.
  private(set) var unread: ArraySlice<NavigationEvent> = []
  /// The latest event taken.
  private(set) var last: NavigationEvent?

  init(_ coordinator: FlowCoordinator, patience: Patience) {
    reader = coordinator.makeSubscription()
    self.patience = patience
  }

  /// Where the flow stood after the latest event that was read.
  var position: Position? { (unread.last ?? last)?.position }

  /// Reads what was published until now.
  func listen() {
    while let event = reader.published() { unread.append(event) }
  }

  /// What stands `ahead` events after the next one. Waits for it, unless it cannot come by itself.
  ///
  /// - Parameter duringQuestion: Whether what is looked for can come while a step waits for an answer. A flow, or a
  ///   branch, has one step in focus, and that one at most one question: whatever the step does besides, the question is
  ///   updated, withdrawn, answered or closed by a leave before anything else can happen there.
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

  /// The next event counts as asserted or skipped from now on.
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
  /// A question, if nothing can happen before one is answered: every branch that is open asks one.
  fileprivate var onlyAwaited: Question? {
    guard let question = questions.first, !branches.isEmpty else { return questions.first }
    let asking = Set(questions.map(\.visit))
    return branches.allSatisfy { $0.waits(asking) } ? question : nil
  }
}

extension Branch {
  /// Whether it has ended, or nothing happens in it before one of these visits gets an answer.
  fileprivate func waits(_ asking: Set<VisitID>) -> Bool {
    if hasEnded { return true }
    guard branches.isEmpty else { return branches.allSatisfy { $0.waits(asking) } }
    return stack.top.map { asking.contains($0.id) } ?? false
  }
}
