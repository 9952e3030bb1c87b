/// The pauses of ``FlowComponent/retry(_:backoff:)`` between two attempts.
public struct Backoff: Sendable, Hashable {
  private enum Kind: Hashable, Sendable {
    case constant(Duration)
    case exponential(from: Duration, factor: Int, limit: Duration)
  }
  private let kind: Kind

  private init(_ kind: Kind) {
    self.kind = kind
  }

  /// No pause: the next attempt begins at once.
  public static let none = Backoff(.constant(.zero))

  /// Returns a backoff with the same pause before each attempt.
  public static func constant(_ duration: Duration) -> Backoff { Backoff(.constant(duration.bounded)) }

  /// Returns a backoff that pauses for `first` before the second attempt, and `factor` times as long before each next
  /// one, up to `limit`.
  ///
  /// The pauses have no jitter: the attempts of one flow are no thundering herd. The default limit is an hour.
  public static func exponential(
    from first: Duration, factor: Int = 2, limit: Duration = .seconds(3_600)
  ) -> Backoff {
    Backoff(.exponential(from: first.bounded, factor: max(1, factor), limit: limit.bounded))
  }

  /// Returns the pause after the attempt of this number, 1 for the first.
  package func delay(after attempt: Int) -> Duration {
    switch kind {
    case .constant(let duration): return max(.zero, duration)
    case .exponential(let first, let factor, let limit):
      var delay = max(.zero, first)
      for _ in 1..<max(1, attempt) {
        guard delay > .zero, factor > 1 else { break }
        // Divides the limit, because the product may be more than a duration can hold.
        guard delay <= limit / factor else { return max(.zero, limit) }
        delay *= factor
      }
      return min(delay, max(.zero, limit))
    }
  }
}
