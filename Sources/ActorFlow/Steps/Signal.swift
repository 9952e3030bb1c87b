/// A typed message from outside that a step may wait for: a payment's confirmation, a scan's result.
///
/// ```swift
/// let checks = Signal<CheckResult>("provider.check")
///
/// let result = try await context.wait(for: checks)  // in a step
///
/// try await coordinator.send(result, to: checks, key: "evt-17")  // where the message arrives
/// ```
public struct Signal<Value: Sendable>: Sendable, Hashable {
  /// What it is called; two signals of one name are the same.
  public let name: String

  /// A signal of this name.
  public init(_ name: String) {
    self.name = name
  }
}

/// What became of a signal that was sent.
@nonexhaustive public enum Delivery: Sendable, Hashable {
  /// A step got it, or it is kept for the first that waits.
  case accepted
  /// A signal with the same key came before; nothing has changed.
  case duplicate
  /// The run has ended, or is about to: it was abandoned or cancelled, or is rolled back after a failure. Nobody will
  /// receive the signal.
  case flowEnded
}
