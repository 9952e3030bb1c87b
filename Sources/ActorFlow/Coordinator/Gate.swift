/// Lets one in at a time, in the order of asking. Waiting cannot be cancelled: whoever asks has an input to deliver.
package final class Gate: Sendable {
  private struct State: Sendable {
    var isHeld = false
    var queue: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Lock(State())

  package init() {}

  package func enter() async {
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        guard state.isHeld else {
          state.isHeld = true
          return true
        }
        state.queue.append(continuation)
        return false
      }
      if goesOn { continuation.resume() }
    }
  }

  package func leave() {
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
