import ActorFlow

/// A clock that a test moves, and whose sleepers wake only when the test lets them. It shows what happens between the
/// end of a time and the moment in which the sleeper is told.
final class LateClock: Clock {
  private struct State: Sendable {
    var time = TestClock.Instant(offset: .zero)
    var isWaking = false
    var last = 0
    var sleepers: [Int: (deadline: TestClock.Instant, CheckedContinuation<Void, any Error>)] = [:]

    mutating func takeDue() -> [CheckedContinuation<Void, any Error>] {
      guard isWaking else { return [] }
      let due = sleepers.filter { $0.value.deadline <= time }
      for number in due.keys { sleepers[number] = nil }
      return due.values.map(\.1)
    }
  }
  private let state = Lock(State())

  var now: TestClock.Instant { state.withLock { $0.time } }
  var minimumResolution: Duration { .nanoseconds(1) }

  /// Advances the time. No sleeper wakes.
  func advance(by duration: Duration) { state.withLock { $0.time = $0.time.advanced(by: duration) } }

  /// From now on wakes every sleeper whose time is over.
  func wake() {
    let due = state.withLock { state in
      state.isWaking = true
      return state.takeDue()
    }
    for sleeper in due { sleeper.resume() }
  }

  func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let due = state.withLock { state in
          state.sleepers[number] = (deadline, continuation)
          return state.takeDue()
        }
        for sleeper in due { sleeper.resume() }
        if Task.isCancelled { cancel(number) }
      }
    } onCancel: {
      cancel(number)
    }
  }

  private func cancel(_ number: Int) {
    let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
    sleeper?.1.resume(throwing: CancellationError())
  }
}
