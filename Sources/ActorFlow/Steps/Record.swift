/// The record that ``StepContext/once(_:_:)-(String,(String)->T)``,
/// ``StepContext/attempt(_:_:)-(String,(String)->T)`` or ``StepContext/now(key:)`` left under a key.
public enum Record<Value: Sendable>: Sendable {
  /// The work was never begun.
  case none
  /// The work was begun, and its outcome is not known: it threw, in an `attempt` as well, or the process died in it. Ask the outside world with
  /// the same idempotency key.
  case interrupted(idempotencyKey: String)
  /// The work was done and returned this value.
  case done(Value)
}

extension Record: Equatable where Value: Equatable {}
