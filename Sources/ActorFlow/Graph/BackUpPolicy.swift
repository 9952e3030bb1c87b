/// Whether and when a back may return to a step. Set it with ``FlowComponent/onBackUp(_:)``.
public enum BackUpPolicy: Sendable, Hashable, Codable {
  /// A back returns to the step if it asked a question in its last visit. The default.
  case automatic
  /// A back always returns to the step.
  case returnable
  /// A back always returns to the step, even if it was skipped. A skipped step stays on the stack with its instance and
  /// its input.
  case returnableIfSkipped
  /// A back never returns to the step: the step is compensated and passed over.
  case passThrough
  /// After the step is left forwards, no back leads to it or past it. It is still rolled back if the flow ends badly.
  case oneWay
  /// After the step is left forwards, it and everything before it is final: dropped from the stack and never rolled
  /// back. In a branch this applies to everything before it in that branch.
  case settling
}

/// A back-up policy that is chosen by the input with which a step is entered.
@usableFromInline package struct ChosenBackUpPolicy: Sendable {
  /// The input of the step that the closure was written for. Steps with another input, which an edit may have put in
  /// its place, have the automatic policy.
  let input: Any.Type
  package let choose: @Sendable (any Sendable) throws -> BackUpPolicy

  @usableFromInline init(
    _ input: Any.Type, _ choose: @escaping @Sendable (any Sendable) throws -> BackUpPolicy
  ) {
    self.input = input
    self.choose = choose
  }
}

/// The reaction of the flow to a step that fails. Set it with ``FlowComponent/onFailure(_:)``.
public enum FailurePolicy: Sendable, Hashable, Codable {
  /// Roll back every place, newest first.
  case rollBack
  /// Stop at the failed step until a retry is requested. Only a hosted flow can wait for that; a run in memory rolls
  /// back.
  case suspend
}
