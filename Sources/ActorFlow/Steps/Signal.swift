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
  /// The signal's name; two signals of one type whose names have the same bytes are the same.
  public let name: String

  /// A signal with a name.
  public init(_ name: String) {
    self.name = name
  }

  /// Whether the names of two signals have the same bytes.
  public static func == (left: Signal, right: Signal) -> Bool { left.name.hasBytes(of: right.name) }

  /// Hashes the bytes of the name.
  public func hash(into hasher: inout Hasher) { name.hashBytes(into: &hasher) }
}

/// The outcome of sending a signal.
@nonexhaustive public enum Delivery: Sendable, Hashable {
  /// A step received the signal, or it is buffered for the first step that waits.
  case accepted
  /// A signal with the same key came before; this one changed nothing.
  case duplicate
  /// The run has ended or is about to: it was abandoned or cancelled, or is rolled back after a failure. No step will
  /// receive the signal.
  case flowEnded
}
