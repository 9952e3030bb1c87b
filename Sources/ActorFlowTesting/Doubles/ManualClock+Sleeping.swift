internal import ActorFlow

extension ManualClock {
  /// Sleeps until the clock is moved to `deadline` or past it; returns at once if the clock is already there.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before. The sleeper is then removed at once.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await sleep(until: deadline, isCounted: true)
  }

  /// Sleeps as ``sleep(until:tolerance:)``; a sleep that is not counted is none of the ``sleepers``.
  func sleep(until deadline: Instant, isCounted: Bool) async throws {
    let wakeUp = Eventual<Void>()
    // The handler is there before the sleeper is, and a task that is cancelled by then adds none: so a test that sees
    // the sleeper and cancels it sees it go.
    try await withTaskCancellationHandler {
      let reached = try state.withLock { state -> [Watcher]? in
        try Task.checkCancellation()
        guard deadline > state.now else { return nil }
        let place = state.sleepers.firstIndex { $0.deadline > deadline } ?? state.sleepers.endIndex
        state.sleepers.insert(Sleeper(deadline: deadline, isCounted: isCounted, wakeUp: wakeUp), at: place)
        let count = state.count
        defer { state.watchers.removeAll { $0.count <= count } }
        return state.watchers.filter { $0.count <= count }
      }
      guard let reached else { return }
      for watcher in reached { watcher.reached.fulfil(()) }
      try await wakeUp.value()
    } onCancel: {
      state.withLock { state in state.sleepers.removeAll { $0.wakeUp === wakeUp } }
    }
  }

  /// Waits until at least `count` tasks sleep at the same time.
  ///
  /// - Throws: `CancellationError` if the waiting task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async throws {
    let reached = Eventual<Void>()
    let waits = state.withLock { state in
      guard state.count < count else { return false }
      state.watchers.append(Watcher(count: count, reached: reached))
      return true
    }
    guard waits else { return }
    try await withTaskCancellationHandler {
      try await reached.value()
    } onCancel: {
      state.withLock { state in state.watchers.removeAll { $0.reached === reached } }
    }
  }
}
