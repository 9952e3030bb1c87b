/// Where a back may lead, seen from one step. Set with ``FlowComponent/onBackUp(_:)``.
public enum BackUpPolicy: Sendable, Hashable, Codable {
  /// Returned to if it asked a question in its last visit. The default.
  case automatic
  /// Always returned to.
  case returnable
  /// Returned to always, also when it was skipped: a skipped step is kept on the stack with its instance and its input.
  case returnableIfSkipped
  /// Never returned to: compensated and passed over.
  case passThrough
  /// Once it was left forwards, nobody returns to it or past it. It is still rolled back when the flow ends badly.
  case oneWay
  /// Once it was left forwards, it and everything before it is final: dropped from the stack, never rolled back. In a
  /// branch this is everything before it in that branch.
  case settling
}

/// What happens to the flow when a step fails. Set with ``FlowComponent/onFailure(_:)``.
public enum FailurePolicy: Sendable, Hashable, Codable {
  /// Roll back every place, newest first.
  case rollBack
  /// Stop where the flow stands, until somebody retries. Only a hosted flow can wait for that; a run in memory rolls
  /// back.
  case park
}
