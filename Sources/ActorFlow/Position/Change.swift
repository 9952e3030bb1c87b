/// The change that a transition made. More kinds may be added; a switch in another module needs a default.
@nonexhaustive public enum Change: Sendable {
  /// A run began. No step has the focus yet.
  case launched
  /// The flow entered a step; `from` is the visit that had the focus. A skipped step that stays on the stack is
  /// reported here as well, with ``Visit/isSkipped`` set.
  case moved(from: Visit?, to: Visit)
  /// A step was skipped and does not stay on the stack.
  case skipped(StepID)
  /// A component with a `finally` has ended: no back leads into it any more, and its finalizer runs next. When the
  /// component is rolled back instead, its finalizer runs without an event, as a `backUp` does.
  case finalizing(StepID)
  /// A question was opened.
  case asked(Question)
  /// The prompt of an open question was replaced, by the step itself or by an action applied to a ``RenderedStep``.
  case updated(Question)
  /// A question was answered.
  case answered(Question.ID, by: Principal?)
  /// A question was closed without an answer. Either its asker gave up (the step cancelled the asking task, or ended
  /// without waiting for the answer), or a ``RenderedStep`` has made its output or failed and takes no more actions.
  case withdrawn(Question.ID)
  /// A request to leave the visit was accepted. The visit's questions are closed and its step is cancelled.
  case leaving(Visit, LeaveReason)
  /// The flow has landed at an earlier place and has compensated everything above it. `errors` are those of the
  /// `backUp`s.
  case backedUp(from: Visit, to: Visit, errors: [any Error])
  /// A scope of the definition caught a failure; `by` says what the scope does next.
  case caught(StepID, any Error, by: Catcher)
  /// A scope caught a failure or timed out, and the steps inside it are compensated. `to` is the visit before them. It
  /// is `nil` at the beginning of the flow or of a branch; the position then shows the last visit alone until another
  /// step is entered.
  case unwound(to: Visit?, errors: [any Error])
  /// All branches of a fork have ended, and the superseded ones are compensated; `errors` are those of their `backUp`s.
  case joined(Visit, errors: [any Error])
  /// A step waits for a signal.
  case waiting(Wait)
  /// A waiting step received its signal.
  case received(Wait)
  /// A step stopped waiting for a signal without receiving one.
  case stoppedWaiting(Wait)
  /// The last step returned.
  case finished
  /// A step failed with this error.
  case failed(StepID, any Error)
  /// A step of a durable flow failed with this error. The flow is suspended until it is retried.
  case suspended(StepID, any Error)
  /// The flow was abandoned, and its step has ended.
  case abandoned(reason: String)
  /// The task that called `run` was cancelled, and its step has ended.
  case cancelled
  /// The rollback is complete. This is the last event of a run that failed, was abandoned or was cancelled.
  case rolledBack(errors: [any Error])
}

/// A scope that catches a failure.
@nonexhaustive public enum Catcher: Sendable, Hashable {
  /// A `.retry`: the attempt with this number begins after this delay.
  case retry(attempt: Int, after: Duration)
  /// A `.recover`: its closure runs.
  case recovery
}

extension Catcher: CustomStringConvertible {
  /// The catcher in a few words.
  public var description: String {
    switch self {
    case .retry(let attempt, let pause): "retry, attempt \(attempt)\(pause > .zero ? " after \(pause)" : "")"
    case .recovery: "recover"
    }
  }
}
