/// Reminders while a question waits for its answer.
public struct Reminding: Sendable {
  package let every: Duration
  package let max: Int
  package let remind: @Sendable (_ number: Int) async throws -> Void

  /// Calls `remind` each time the interval has passed without an answer, at most `max` times.
  ///
  /// While the question is open, no reminder is left out and none runs beside another. When the clock jumps over
  /// several intervals, or a reminder takes longer than one, all due reminders run, one after the other and without a
  /// pause between them. Reminders that have not begun when the question is answered, or when its time is over, do not
  /// run.
  ///
  /// - Parameters:
  ///   - interval: On the coordinator's clock; at least a nanosecond. An interval longer than 200 years counts as 200
  ///     years.
  ///   - max: The largest number of reminders; pass `.max` for no limit.
  ///   - remind: Gets 1 for the first reminder. It runs in the asking task; an answer that comes meanwhile counts.
  public static func every(
    _ interval: Duration, max: Int, _ remind: @escaping @Sendable (_ number: Int) async throws -> Void
  ) -> Reminding {
    Reminding(every: Swift.max(interval, .nanoseconds(1)).bounded, max: min(max, .max >> 1), remind: remind)
  }
}
