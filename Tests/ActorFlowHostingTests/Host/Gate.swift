import ActorFlow

/// A place that code passes and a test waits for. Steps may be held there until the test opens it.
///
/// Waiting here is not cancelled with the task, so a step can be one that takes its time to come back.
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

  /// How often somebody has come.
  var arrivals: Int { state.withLock { $0.arrivals } }

  /// Comes here, and waits until it is open.
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

  /// Comes here, and goes on at once.
  func mark() {
    for watcher in state.withLock({ $0.arrive() }) { watcher.resume() }
  }

  /// Waits until somebody has come for the `count`th time.
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

  /// Lets everybody pass, now and later.
  func open() {
    let held = state.withLock { state in
      defer { state.held = [] }
      state.isOpen = true
      return state.held
    }
    for continuation in held { continuation.resume() }
  }
}
