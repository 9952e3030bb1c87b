internal import ActorFlow

/// The time that a ``FlowTester`` waits for a flow in which nothing happens, before it says so and fails.
///
/// No passing test depends on it: patience only turns a hang into a failure that names what hangs. It should therefore
/// be generous; the standard is two minutes, because a busy machine with all tests at once may need one for a step.
public struct Patience: Sendable {
  /// The longest time of each single wait.
  public let limit: Duration
  private let clock: any Clock<Duration>

  /// Creates a patience of `limit`, measured by `clock`. With a ``ManualClock``, a test decides when patience runs out.
  public init(_ limit: Duration, clock: any Clock<Duration> = ContinuousClock()) {
    self.limit = limit.bounded
    self.clock = clock
  }

  /// A patience of two minutes of real time.
  public static let standard = Patience(.seconds(120))

  /// Runs `work`, which must end soon when it is cancelled; cancels it and returns `nil` if patience runs out first.
  ///
  /// - Throws: What `work` threw; `CancellationError` if the calling task was cancelled.
  package func wait<Value: Sendable>(
    for work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { [clock, limit] group in
      group.addTask { try await work() }
      group.addTask {
        try await clock.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      if let value = try await group.next() ?? nil { return value }
      group.cancelAll()
      do {
        // A value that came in the last moment counts.
        return try await group.next() ?? nil
      } catch is CancellationError {
        try Task.checkCancellation()
        return nil
      }
    }
  }
}
