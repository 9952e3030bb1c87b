import ActorFlow

/// Wakes the task that waits for a ring, or the next task that will.
final class Doorbell: Sendable {
  private enum State: Sendable {
    case quiet
    case rung
    case awaited(CheckedContinuation<Void, Never>, Int)
  }
  private let state = Lock<(now: State, last: Int)>((.quiet, 0))

  func ring() {
    let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard case .awaited(let waiter, _) = state.now else {
        state.now = .rung
        return nil
      }
      state.now = .quiet
      return waiter
    }
    waiter?.resume()
  }

  /// Forgets a ring, because the work that it announced is about to be done.
  func silence() {
    state.withLock { state in
      if case .rung = state.now { state.now = .quiet }
    }
  }

  /// Waits for a ring, or until the calling task is cancelled. Only one task may wait at a time.
  func wait() async {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if case .quiet = state.now, !Task.isCancelled {
            state.now = .awaited(continuation, number)
            return false
          }
          if case .rung = state.now { state.now = .quiet }
          return true
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
        guard case .awaited(let waiter, number) = state.now else { return nil }
        state.now = .quiet
        return waiter
      }
      waiter?.resume()
    }
  }
}
