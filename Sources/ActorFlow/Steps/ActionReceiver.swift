/// Takes the answers to a question that stays open.
package protocol ActionReceiver: AnyObject, Sendable {
  /// Takes an answer that was found valid for what this question showed at this revision.
  ///
  /// - Parameter isHeld: Whether the caller has called ``hold()``.
  func receive(_ action: any Sendable, to question: Question, isHeld: Bool) async -> ActionOutcome

  /// Lets no other action in until ``release()``. Waits for those that came before.
  func hold() async
  func release() async
}

/// What became of an action.
package enum ActionOutcome: Sendable {
  /// It was applied, and what it changed is published.
  case applied
  /// Something else is shown by now; nothing was applied.
  case changed
  /// It could not be committed, for this reason; nothing has changed.
  case refused(any Error)
  /// It was applied, and the step fails with this.
  case failed(any Error)
  /// Nobody takes actions any more.
  case closed
}
