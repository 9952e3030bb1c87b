/// Mutual exclusion of async code, in the order of asking. Waiting cannot be cancelled: the caller has an input to
/// deliver.
///
/// It has a lock of its own because leaving must not wait for a turn of an actor.
package final class AsyncMutex: Sendable {
  private struct State: Sendable {
    var isHeld = false
    var queue: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Lock(State())

  package init() {}

  /// How many wait for it.
  package var queueLength: Int { state.withLock { $0.queue.count } }

  package func lock() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.isHeld else {
          state.isHeld = true
          return true
        }
        state.queue.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  package func unlock() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard !state.queue.isEmpty else {
        state.isHeld = false
        return nil
      }
      return state.queue.removeFirst()
    }
    next?.resume()
  }
}
