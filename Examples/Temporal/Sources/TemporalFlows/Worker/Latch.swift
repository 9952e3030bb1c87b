internal import Synchronization

/// A door that is opened once, and stays open.
final class Latch: Sendable {
  private struct State {
    var isOpen = false
    var last = 0
    var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
  }

  private let state = Mutex(State())

  var isOpen: Bool { state.withLock { $0.isOpen } }
  /// The number of tasks that wait.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.resume(returning: true) }
  }

  /// Waits until the latch is open. Returns false if the calling task is cancelled before.
  @discardableResult func wait() async -> Bool {
    let key = state.withLock { state in
      state.last += 1
      return state.last
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOpen: Bool? = state.withLock { state in
          if state.isOpen { return true }
          if Task.isCancelled { return false }
          state.waiters[key] = continuation
          return nil
        }
        if let isOpen { continuation.resume(returning: isOpen) }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: key) }
      waiter?.resume(returning: false)
    }
  }

  /// Waits until the latch is open, for `time` at most. Returns whether it is open.
  func wait(_ time: Duration) async -> Bool {
    await withTaskGroup { group in
      group.addTask { await self.wait() }
      group.addTask {
        try? await Task.sleep(for: time)
        return self.isOpen
      }
      let isOpen = await group.next() ?? false
      group.cancelAll()
      return isOpen
    }
  }
}
