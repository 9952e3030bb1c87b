import ActorFlow

/// A point in code that a test waits for, and at which steps may be held until the test opens it.
///
/// Waiting here ignores the cancellation of the task, so a test can hold a step that is slow to return.
final class Gate: Sendable {
  private struct State: Sendable {
    var arrivals = 0
    var isOpen = false
    var held: [CheckedContinuation<Void, Never>] = []
    var watchers: [(arrivals: Int, waiter: CheckedContinuation<Void, Never>)] = []

    mutating func arrive() -> [CheckedContinuation<Void, Never>] {
      arrivals += 1
      let reached = watchers.filter { $0.arrivals <= arrivals }
      watchers.removeAll { $0.arrivals <= arrivals }
      return reached.map(\.waiter)
    }
  }
  private let state = Lock(State())

  /// The number of arrivals so far.
  var arrivals: Int { state.withLock { $0.arrivals } }

  /// Arrives, and waits until the gate is open.
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

  /// Arrives, and continues at once.
  func mark() {
    for watcher in state.withLock({ $0.arrive() }) { watcher.resume() }
  }

  /// Waits for the `count`th arrival.
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

  /// Releases everything that waits at the gate, now and later.
  func open() {
    let held = state.withLock { state in
      defer { state.held = [] }
      state.isOpen = true
      return state.held
    }
    for continuation in held { continuation.resume() }
  }
}
