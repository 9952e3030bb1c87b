/// An event that wakes the task that waits for it, or else the next task that waits.
package final class AsyncEvent: Sendable {
  private struct State: Sendable {
    var isSignaled = false
    var waiter: OneShot?
  }
  /// A lock and no actor, because the event is signaled from synchronous code.
  private let state = Lock(State())

  package init() {}

  /// Wakes the waiting task. If no task waits, the next call of ``wait()`` returns at once.
  package func signal() {
    let waiter: OneShot? = state.withLock { state in
      // A waiter that was just cancelled must not swallow the event.
      if let waiter = state.waiter.take(), waiter.take() { return waiter }
      state.isSignaled = true
      return nil
    }
    waiter?.fulfil(.success(()))
  }

  /// Forgets a signal, because the work that it announced is about to be done.
  package func reset() { state.withLock { $0.isSignaled = false } }

  /// Waits for a signal, or until the calling task is cancelled. Only one task may wait at a time.
  package func wait() async {
    let waiter = OneShot()
    let isOver = state.withLock { state in
      if state.isSignaled {
        state.isSignaled = false
        return true
      }
      state.waiter = waiter
      return false
    }
    guard !isOver else { return }
    _ = try? await waiter.value()
    state.withLock { if $0.waiter === waiter { $0.waiter = nil } }
  }
}
