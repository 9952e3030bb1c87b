import ActorFlow

/// A value that a step's code hands to the test.
final class Handover<Value: Sendable>: Sendable {
  private let held = Lock<Value?>(nil)
  private let given = Checkpoint()

  /// Sets the value, or replaces it with a newer one.
  func give(_ value: Value) {
    held.withLock { $0 = value }
    given.mark()
  }

  /// Waits until there is a value.
  func value() async -> Value? {
    await given.reached()
    return held.withLock { $0 }
  }

  /// Releases the value, so that it is not kept alive from here.
  func clear() { held.withLock { $0 = nil } }
}
