/// What happened in a transition. More kinds may be added; a switch in another module needs a default.
@nonexhaustive public enum Change: Sendable {
  /// A run began. No step has the focus yet.
  case launched
  /// The flow entered a step; `from` is the visit that had the focus. A skipped step that is kept on the stack is moved
  /// to as well, with ``Visit/isSkipped`` set.
  case moved(from: Visit?, to: Visit)
  /// A step was passed over and is not kept.
  case skipped(StepID)
  /// A question was opened.
  case asked(Question)
  /// What an open question shows was replaced: by the step itself, or because an action was applied to a
  /// ``RenderedStep``.
  case updated(Question)
  /// A question was answered.
  case answered(Question.ID, by: Principal?)
  /// The asker gave up: its task was cancelled by the step itself, or the step ended without waiting for the answer. Or a
  /// ``RenderedStep`` has made its output, or failed, and takes no more actions.
  case withdrawn(Question.ID)
  /// A request to leave the visit was accepted; its questions are closed, its step is cancelled.
  case leaving(Visit, LeaveReason)
  /// The flow has landed at an earlier place, after undoing everything above it. `errors` are those of `backUp`s.
  case backedUp(from: Visit, to: Visit, errors: [any Error])
  /// A failure was caught by a scope of the definition; `by` says what comes of it.
  case caught(StepID, any Error, by: Catcher)
  /// The steps inside a scope that caught a failure, or that took too long, are compensated. `to` is the visit before
  /// them; nil at the beginning of the flow or of a branch, where the position goes on to show the last visit, alone,
  /// until another step is entered in its place.
  case unwound(to: Visit?, errors: [any Error])
  /// All branches of a fork have ended, and the superfluous ones are undone; `errors` are those of their `backUp`s.
  case joined(Visit, errors: [any Error])
  /// A step waits for a signal.
  case waiting(Wait)
  /// A step that waited got its signal.
  case received(Wait)
  /// A step no longer waits for a signal, and has got none.
  case stoppedWaiting(Wait)
  /// The last step returned.
  case finished
  /// A step failed with this error.
  case failed(StepID, any Error)
  /// A step of a flow that is kept failed with this error, and the flow stands still until somebody has it tried again.
  case parked(StepID, any Error)
  /// The flow was abandoned, and its step has come back.
  case abandoned(reason: String)
  /// The task that called `run` was cancelled, and its step has come back.
  case cancelled
  /// Everything is undone; the last event of a run that failed, was abandoned or was cancelled.
  case rolledBack(errors: [any Error])
}

/// What catches a failure.
@nonexhaustive public enum Catcher: Sendable, Hashable {
  /// A `.retry`: the attempt of this number begins after this time.
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
