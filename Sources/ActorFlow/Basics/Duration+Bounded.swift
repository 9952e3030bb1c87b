// Sums of durations that trap on overflow, and descriptions that trap beyond 64 bits of seconds, must not end a process
// for a user's number. So every duration is bounded where it comes in.
extension Duration {
  /// The longest time that a flow measures: 200 years. A longer one counts as this one.
  ///
  /// A date so far from now is still exact to the microsecond, as a number of seconds with a fraction.
  package static let longest = Duration.seconds(200 * 31_557_600)

  /// The duration, at most ``longest`` in either direction.
  package var bounded: Duration { min(max(self, .zero - .longest), .longest) }

  /// A point in time, both counted from the same start.
  ///
  /// - Parameter duration: Less than zero counts as zero, and more than ``longest`` as ``longest``.
  /// - Returns: The point that is `duration` later.
  package func later(by duration: Duration) -> Duration { bounded + min(max(duration, .zero), .longest) }
}
