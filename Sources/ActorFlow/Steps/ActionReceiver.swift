/// Takes the answers to a question that stays open.
package protocol ActionReceiver: AnyObject, Sendable {
  /// Takes an answer that was found valid for what this question showed at this revision.
  ///
  /// - Parameter attempt: The first one, or the one that the outcome of the last one names.
  func receive(_ action: any Sendable, to question: Question, attempt: ActionAttempt) async -> ActionOutcome

  /// Gives an attempt up that was named by an outcome, and never made.
  func giveUp(_ attempt: ActionAttempt) async
}

/// How often an answerer has been overtaken, and what he was granted for it.
package struct ActionAttempt: Sendable {
  /// How many of his answers came too late for what they were validated for.
  var overtaken = 0
  /// While he has it, no other action is let in.
  var claim: Int?

  package static var first: ActionAttempt { ActionAttempt() }
}

/// What became of an action.
package enum ActionOutcome: Sendable {
  /// It was applied, and what it changed is published.
  case applied
  /// Something else is shown by now; nothing was applied. He may try again.
  case changed(ActionAttempt)
  /// It could not be committed, for this reason; nothing has changed.
  case refused(any Error)
  /// It was applied, and the step fails with this.
  case failed(any Error)
  /// Nobody takes actions any more.
  case closed
}
