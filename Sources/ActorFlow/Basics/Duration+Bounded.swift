// Sums of durations trap on overflow, and descriptions trap beyond 64 bits of seconds. A user's number must not end the
// process, so every duration is bounded where it comes in.
extension Duration {
  /// The longest time that a flow measures: 200 years. A longer one is shortened to it.
  ///
  /// A date this far from now, as a number of seconds with a fraction, is still exact to the microsecond.
  package static let longest = Duration.seconds(200 * 31_557_600)

  /// The duration, limited to ``longest`` in both directions.
  package var bounded: Duration { min(max(self, .zero - .longest), .longest) }

  /// Returns a later point in time; both points are counted from the same start.
  ///
  /// - Parameter duration: Less than zero counts as zero, and more than ``longest`` counts as ``longest``.
  /// - Returns: The point that is `duration` later.
  package func later(by duration: Duration) -> Duration { bounded + min(max(duration, .zero), .longest) }
}
