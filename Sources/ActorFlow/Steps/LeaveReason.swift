/// The reason why a visit is left before its step returned, or why a place is rolled back.
@nonexhaustive public enum LeaveReason: Sendable, Hashable {
  /// The flow backs up.
  case back
  /// The flow was abandoned.
  case abandoned(reason: String)
  /// A step failed.
  case failed
  /// The task that called `run` was cancelled.
  case cancelled
  /// A part of the flow did not end within its `.timeout`.
  case timedOut
  /// The step is no longer needed: it lost a race, its `ForEach` was done without it, or a sibling failed.
  case superseded
  /// An operator has completed the step, with an output in the place of the step's own.
  case completed
  /// An operator has entered the step anew, with another input, in a place of its own.
  case enteredAnew
}
