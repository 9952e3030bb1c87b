internal import Synchronization

/// The places for flows that a worker runs at the same time.
final class Slots: Sendable {
  private struct State {
    var free: Int
    var last = 0
    var waiters: [(key: Int, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: count)) }

  /// Waits for a place. Returns false if the calling task is cancelled.
  func take() async -> Bool {
    let key = state.withLock { state in
      state.last += 1
      return state.last
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isTaken: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          if state.free > 0 {
            state.free -= 1
            return true
          }
          state.waiters.append((key, continuation))
          return nil
        }
        if let isTaken { continuation.resume(returning: isTaken) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.key == key }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: false)
    }
  }

  func give() {
    let waiter = state.withLock { state in
      guard state.waiters.isEmpty else { return Optional(state.waiters.removeFirst()) }
      state.free += 1
      return nil
    }
    waiter?.continuation.resume(returning: true)
  }
}
