/// A receiver of the answers to a question that stays open.
package protocol ActionReceiver: AnyObject, Sendable {
  /// Takes an answer that was found valid for this question's prompt at this revision.
  ///
  /// - Parameters:
  ///   - attempt: The first attempt, or the one that the previous outcome named.
  ///   - cause: The request that brings the answer, for the commit.
  func receive(
    _ action: any Sendable, to question: Question, attempt: ActionAttempt, cause: (any CommitCause)?
  ) async -> ActionOutcome

  /// Gives up an attempt that an outcome named and that was not made.
  func giveUp(_ attempt: ActionAttempt) async
}

/// The state of an answerer that was overtaken.
package struct ActionAttempt: Sendable {
  /// The number of the answerer's answers that were too late for the revision they were validated for.
  var overtaken = 0
  /// The claim that keeps out all other actions while the answerer has it.
  var claim: Int?
  /// The answerer; `nil` if anonymous.
  let answerer: Answerer?

  /// The first attempt of an answerer.
  package static func first(by principal: Principal? = nil) -> ActionAttempt {
    ActionAttempt(answerer: principal.map(Answerer.init))
  }
}

/// The principal of an action. Behind a reference, because async functions pass it on: as a value it made their frames
/// allocate once more for each action (`action8`).
package final class Answerer: Sendable {
  package let principal: Principal

  package init(_ principal: Principal) {
    self.principal = principal
  }
}

/// The origin of an action.
package enum ActionOrigin: Sendable {
  /// An answer from outside.
  case answer(by: Answerer?)
  /// An effect of the step, or a child's output.
  case effect

  var isAnswer: Bool {
    if case .answer = self { true } else { false }
  }
}

/// The outcome of an action.
package enum ActionOutcome: Sendable {
  /// The action was applied, and its result is published.
  case applied
  /// The prompt has changed; nothing was applied. The answerer may try again with this attempt.
  case changed(ActionAttempt)
  /// The action could not be committed, for this reason; nothing has changed.
  case refused(any Error)
  /// The action was applied, and the step fails with this error.
  case failed(any Error)
  /// The step takes no more actions.
  case closed
}
