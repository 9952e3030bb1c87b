import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The times of a flow are exact. Clocks and stores are not: a `Date` is a floating-point number, persisted to the
// microsecond. When the store says that a timer is due, the flow must find it due as well. Otherwise the flow would be
// passivated without firing the timer, and activated again at once.
extension Duration {
  /// The time between two dates, rounded to the microsecond, so that storing or adding up dates does not change it.
  init(from start: Date, to end: Date) {
    // A date far from 2001 is less exact than a microsecond. The slack keeps the time at a timer's date from being less
    // than the timer's own time.
    let slack = 2 * end.timeIntervalSinceReferenceDate.ulp
    let microseconds = ((end.timeIntervalSince(start) + slack) * 1e6).rounded()
    self = .microseconds(Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
  }

  /// The duration rounded up to whole microseconds, so that no timer is due before its time.
  var wholeMicroseconds: Duration {
    // A timer of the longest duration may be set when the longest duration has passed. A sleep that ended before such a
    // timer is due would end at once, again and again.
    let end = Duration.longest + .longest
    // Does not use `components`, whose seconds have only 64 bits.
    let (whole, rest) = min(max(self, .zero - end), end).attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000)
    return Duration(attoseconds: (whole + (rest > 0 ? 1 : 0)) * 1_000_000_000_000)
  }
}

extension WallClock {
  /// Returns the date that is `duration` from now, and never earlier than now. Does not trap for any duration.
  func date(after duration: Duration) -> Date {
    now.addingTimeInterval(Duration.zero.later(by: duration) / .seconds(1))
  }
}
