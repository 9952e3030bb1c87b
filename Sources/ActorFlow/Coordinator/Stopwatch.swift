/// A clock since it was started.
package struct Stopwatch: Sendable {
  let elapsed: @Sendable () -> Duration
  private let sleepUntil: @Sendable (Duration) async throws -> Void

  /// Of a run that has not begun.
  static let stopped = Stopwatch(elapsed: { .zero }, sleepUntil: { _ in })

  init(_ clock: any Clock<Duration>) {
    func start<C: Clock>(_ clock: C) -> Stopwatch where C.Duration == Duration {
      let start = clock.now
      return Stopwatch(
        elapsed: { start.duration(to: clock.now) },
        sleepUntil: { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) },
        longest: clock is ContinuousClock || clock is SuspendingClock ? .seconds(60) : nil)
    }
    self = start(clock)
  }

  /// - Parameters:
  ///   - elapsed: The time since the start.
  ///   - sleepUntil: Sleeps until so much time has elapsed, or shorter.
  package init(
    elapsed: @escaping @Sendable () -> Duration, sleepUntil: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.init(elapsed: elapsed, sleepUntil: sleepUntil, longest: nil)
  }

  private init(
    elapsed: @escaping @Sendable () -> Duration, sleepUntil: @escaping @Sendable (Duration) async throws -> Void,
    longest: Duration?
  ) {
    self.elapsed = elapsed
    self.sleepUntil = { due in
      guard let longest else { return try await sleepUntil(due) }
      try await sleepUntil(min(due, elapsed().later(by: longest)))
    }
  }

  /// Sleeps until so much time has elapsed, or shorter: a sleep of the system's clocks that is cancelled keeps room
  /// until it would have ended, so none is longer than a minute.
  func sleep(until due: Duration) async throws { try await sleepUntil(due) }
}
