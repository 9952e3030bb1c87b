/// Mutual exclusion of async code, in the order of arrival. Waiting for the mutex cannot be cancelled, because each
/// caller has an input to deliver.
package final class AsyncMutex: Sendable {
  private struct State: Sendable {
    var isHeld = false
    var queue: [OneShot] = []

    /// Takes the mutex and returns `nil`, if it is free; else returns the waiter to wait with.
    mutating func enter() -> OneShot? {
      guard isHeld else {
        isHeld = true
        return nil
      }
      let waiter = OneShot()
      queue.append(waiter)
      return waiter
    }
  }
  /// A lock and no actor, because releasing the mutex must not wait for an actor's turn.
  private let state = Lock(State())

  package init() {}

  /// The number of tasks that wait for the mutex.
  package var queueLength: Int { state.withLock { $0.queue.count } }

  package func lock() async {
    guard let waiter = state.withLock({ $0.enter() }) else { return }
    await waiter.end()
  }

  package func unlock() {
    let next: OneShot? = state.withLock { state in
      guard state.queue.isEmpty else { return state.queue.removeFirst() }
      state.isHeld = false
      return nil
    }
    next?.fulfil(.success(()))
  }
}
