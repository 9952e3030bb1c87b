internal import ActorFlow

/// How long a ``FlowTester`` waits for a flow in which nothing happens, before it says so and fails.
///
/// No test that passes depends on it: it only turns a hang into a failure that names what hangs. So it should be
/// generous; the standard is 30 seconds.
public struct Patience: Sendable {
  /// How long to wait for each single thing.
  public let limit: Duration
  private let clock: any Clock<Duration>

  /// Waits for `limit`, measured by `clock`. With a ``ManualClock`` a test decides when patience has run out.
  public init(_ limit: Duration, clock: any Clock<Duration> = ContinuousClock()) {
    self.limit = limit.bounded
    self.clock = clock
  }

  /// Half a minute of wall-clock time.
  public static let standard = Patience(.seconds(30))

  /// Does `work`, which must end soon when it is cancelled; nil: patience ran out first, and `work` was cancelled.
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
        // What came in the last moment counts.
        return try await group.next() ?? nil
      } catch is CancellationError {
        try Task.checkCancellation()
        return nil
      }
    }
  }
}
