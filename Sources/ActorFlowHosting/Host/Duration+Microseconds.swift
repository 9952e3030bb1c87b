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
    let microseconds = (end.timeIntervalSince(start) * 1e6).rounded()
    self = .microseconds(Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
  }

  /// Rounded up to whole microseconds: nothing is due before its time.
  var wholeMicroseconds: Duration {
    // Not by its components, which are no more seconds than 64 bits can count.
    let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000)
    return Duration(attoseconds: (whole + (rest > 0 ? 1 : 0)) * 1_000_000_000_000)
  }
}
