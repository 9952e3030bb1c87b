/// What to do while nobody answers a question.
public struct Reminding: Sendable {
  package let every: Duration
  package let max: Int
  package let remind: @Sendable (_ number: Int) async throws -> Void

  /// Calls `remind` each time so much time has gone by without an answer, at most `max` times.
  ///
  /// While the question is open no reminder is left out, and none runs beside another. When the clock jumps over
  /// several intervals, or a reminder takes longer than one, all those that have become due run, one after the other
  /// and without a pause between them. Those that have not begun when the question is answered, or its time is over, do
  /// not run any more.
  ///
  /// - Parameters:
  ///   - interval: On the coordinator's clock; at least a nanosecond, and one longer than 200 years counts as that.
  ///   - max: The number of reminders at most; `.max` for as many as it takes.
  ///   - remind: Gets 1 for the first reminder. It runs in the asking task; an answer that comes meanwhile counts.
  public static func every(
    _ interval: Duration, max: Int, _ remind: @escaping @Sendable (_ number: Int) async throws -> Void
  ) -> Reminding {
    Reminding(every: Swift.max(interval, .nanoseconds(1)).bounded, max: min(max, .max >> 1), remind: remind)
  }
}
