import ActorFlow

/// A point in a step's code at which a test can hold the step: the step calls `pass`, and the test waits until the step
/// arrives, and opens.
///
/// Waiting here is not cancelled with the task, so a step can be one that returns late.
final class Checkpoint: Sendable {
  private struct State: Sendable {
    var arrivals = 0
    var isOpen = false
    var held: [CheckedContinuation<Void, Never>] = []
    var watchers: [(arrivals: Int, CheckedContinuation<Void, Never>)] = []

    mutating func arrive() -> [CheckedContinuation<Void, Never>] {
      arrivals += 1
      let reached = watchers.filter { $0.arrivals <= arrivals }
      watchers.removeAll { $0.arrivals <= arrivals }
      return reached.map(\.1)
    }
  }
  private let state = Lock(State())

  /// Arrives at the checkpoint and waits until it is open.
  func pass() async {
    await withCheckedContinuation { continuation in
      let resumed = state.withLock { state in
        var resumed = state.arrive()
        if state.isOpen { resumed.append(continuation) } else { state.held.append(continuation) }
        return resumed
      }
      for continuation in resumed { continuation.resume() }
    }
  }

  /// Arrives at the checkpoint and goes on at once.
  func mark() {
    for watcher in state.withLock({ $0.arrive() }) { watcher.resume() }
  }

  /// Waits until tasks have arrived `count` times.
  func reached(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.arrivals >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }

  /// Lets all tasks pass, now and later.
  func open() {
    resume { state in
      state.isOpen = true
      return state.held.count
    }
  }

  /// Lets the tasks pass that wait now.
  func openOnce() {
    resume { $0.held.count }
  }

  /// Lets the task pass that has waited longest.
  func openForOne() {
    resume { min(1, $0.held.count) }
  }

  /// The number of arrivals.
  var arrivals: Int { state.withLock { $0.arrivals } }

  private func resume(_ count: (inout State) -> Int) {
    let resumed = state.withLock { state in
      let count = count(&state)
      let resumed = Array(state.held.prefix(count))
      state.held.removeFirst(count)
      return resumed
    }
    for continuation in resumed { continuation.resume() }
  }
}
