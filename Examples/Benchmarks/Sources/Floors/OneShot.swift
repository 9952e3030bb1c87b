import Synchronization

/// A value that one task waits for and another task delivers, once. Cancelling the waiting task ends the wait.
///
/// The lock is its own because a cancellation handler runs synchronously and can reach no actor.
final class OneShot: Sendable {
  private typealias Waiter = UnsafeContinuation<any Sendable, any Error>

  private struct State: Sendable {
    var waiter: Waiter?
    var result: Result<any Sendable, any Error>?
  }
  private let state = Mutex(State())

  /// Waits for the value. Called once.
  func value() async throws -> any Sendable {
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { waiter in
        let result = state.withLock { state in
          if state.result == nil { state.waiter = waiter }
          return state.result
        }
        if let result { waiter.resume(with: result) }
      }
    } onCancel: {
      fulfil(.failure(CancellationError()))
    }
  }

  /// Delivers the value, or an error. Only the first call counts.
  func fulfil(_ result: Result<any Sendable, any Error>) {
    let waiter: Waiter? = state.withLock { state in
      guard state.result == nil else { return nil }
      state.result = result
      return state.waiter.take()
    }
    waiter?.resume(with: result)
  }
}
