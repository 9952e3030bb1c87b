import ActorFlow
import Dispatch

/// A queue of sleeping tasks that share one wake-up of the system.
///
/// A cancelled `Task.sleep` occupies its memory until it would have ended. A host begins a sleep for every page that a
/// caller waits for, and mostly ends it early, so thousands of them would be in memory at any time.
final class SleepQueue: Sendable {
  static let shared = SleepQueue()

  private struct Key: Hashable, Comparable, Sendable {
    /// The end of the sleep, in nanoseconds of the system's uptime.
    let due: UInt64
    let number: Int

    static func < (left: Key, right: Key) -> Bool {
      left.due == right.due ? left.number < right.number : left.due < right.due
    }
  }

  private struct State: Sendable {
    var sleepers: [Key: CheckedContinuation<Void, Never>] = [:]
    var order = SortedList<Key>()
    var last = 0
    /// The time of the next wake-up.
    var wakeUp: UInt64?
  }

  private let state = Lock(State())
  private let queue = DispatchQueue(label: "ActorFlow.sleep")

  /// The number of tasks that sleep now.
  var count: Int { state.withLock { $0.sleepers.count } }

  /// Returns after this number of seconds, or when the task is cancelled.
  func sleep(seconds: Double) async {
    let now = DispatchTime.now().uptimeNanoseconds
    let key = state.withLock { state in
      state.last += 1
      return Key(due: now + UInt64(max(0, seconds) * 1e9), number: state.last)
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard !Task.isCancelled else { return true }
          state.sleepers[key] = continuation
          state.order.insert(key)
          return false
        }
        if isOver { continuation.resume() } else { arm() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.order.remove(key)
        return state.sleepers.removeValue(forKey: key)
      }
      sleeper?.resume()
    }
  }

  /// Schedules a wake-up for the sleeper that is due first; a wake-up that is not needed any more still happens.
  private func arm() {
    let due = state.withLock { state -> UInt64? in
      guard let first = state.order.first?.due, state.wakeUp.map({ first < $0 }) ?? true else { return nil }
      state.wakeUp = first
      return first
    }
    guard let due else { return }
    queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: due)) { self.wake(due) }
  }

  private func wake(_ wakeUp: UInt64) {
    let now = DispatchTime.now().uptimeNanoseconds
    let woken = state.withLock { state in
      if state.wakeUp == wakeUp { state.wakeUp = nil }
      var woken: [CheckedContinuation<Void, Never>] = []
      while let first = state.order.first, first.due <= now {
        state.order.remove(first)
        if let sleeper = state.sleepers.removeValue(forKey: first) { woken.append(sleeper) }
      }
      return woken
    }
    for sleeper in woken { sleeper.resume() }
    arm()
  }
}
