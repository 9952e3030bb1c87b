import ActorFlow

/// A place in a step's code where a test lets it wait: the step passes, the test waits until it has come and opens.
///
/// Waiting here is not cancelled with the task, so a step can be one that takes its time to come back.
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

  /// Comes to the checkpoint and waits until it is open.
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

  /// Comes to the checkpoint and goes on at once.
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
    resume { state in
      state.isOpen = true
      return state.held.count
    }
  }

  /// Lets those pass that wait now.
  func openOnce() {
    resume { $0.held.count }
  }

  /// Lets the one pass that came first.
  func openForOne() {
    resume { min(1, $0.held.count) }
  }

  /// How often somebody has come.
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
