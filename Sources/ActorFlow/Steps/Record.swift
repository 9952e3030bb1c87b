/// What ``StepContext/once(_:_:)-(String,(String)->T)`` left behind under a key.
public enum Record<Value: Sendable>: Sendable {
  /// The work was never begun.
  case none
  /// The work was begun, and whether it had its effect is not known: it threw, or the process died in it. The outside
  /// world can be asked with the same idempotency key.
  case interrupted(idempotencyKey: String)
  /// The work was done and returned this.
  case done(Value)
}

extension Record: Equatable where Value: Equatable {}
