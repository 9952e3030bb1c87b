internal import ActorFlow

/// A value that arrives once, for any number of waiters, each of which can give up waiting.
final class Eventual<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var value: Value?
    var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
    var lastWaiter = 0
  }
  private let state = Lock(State())

  /// Sets the value and resumes the waiters. Only the first value counts.
  func fulfil(_ value: Value) {
    let waiters = state.withLock { state -> [CheckedContinuation<Value, any Error>] in
      guard state.value == nil else { return [] }
      state.value = value
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume(returning: value) }
  }

  /// The value, if it has arrived.
  var current: Value? { state.withLock { $0.value } }

  /// Waits for the value.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while there is no value.
  func value() async throws -> Value {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let value = state.withLock { state -> Value? in
          if state.value == nil { state.waiters[id] = continuation }
          return state.value
        }
        if let value {
          continuation.resume(returning: value)
        } else if Task.isCancelled {
          // The cancellation handler ran before this waiter was registered, and so has not resumed it.
          giveUp(id)
        }
      }
    } onCancel: {
      giveUp(id)
    }
  }

  private func giveUp(_ id: Int) {
    state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
  }
}
