import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// A flow's times are exact, those of clocks and stores are not: dates are numbers with a fraction, kept to the
// microsecond. A flow that is woken when its timer is due by the store must find it due, too, or it would be put away
// unrung, and woken again at once.
extension Duration {
  /// The time between two dates, to the microsecond: what went through a store, or was added up, is the same time.
  init(from start: Date, to end: Date) {
    // Dates far from 2001 are less exact than a microsecond: the time at a timer's date is never less than the timer's.
    let slack = 2 * end.timeIntervalSinceReferenceDate.ulp
    let microseconds = ((end.timeIntervalSince(start) + slack) * 1e6).rounded()
    self = .microseconds(Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
  }

  /// Rounded up to whole microseconds: nothing is due before its time.
  var wholeMicroseconds: Duration {
    // A timer of the longest time may be set when the longest time has passed: a sleep that ended earlier than the timer
    // is due would end at once, again and again.
    let end = Duration.longest + .longest
    // Not by its components, which are no more seconds than 64 bits can count.
    let (whole, rest) = min(max(self, .zero - end), end).attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000)
    return Duration(attoseconds: (whole + (rest > 0 ? 1 : 0)) * 1_000_000_000_000)
  }
}

extension WallClock {
  /// The date that is `duration` from now; at least now, and no trap for any duration.
  func date(after duration: Duration) -> Date {
    now.addingTimeInterval(Duration.zero.later(by: duration) / .seconds(1))
  }
}
