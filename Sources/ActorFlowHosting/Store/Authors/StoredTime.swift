import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A time as stores count it: whole microseconds since 1970, for authors of stores.
///
/// Every time that a store returns was rounded this way, so a time that is written and read again does not change.
/// Compare times in this form: two dates that are stored as the same microsecond may differ.
public struct StoredTime: Hashable, Comparable, Sendable {
  /// The microseconds since 1970.
  public var microseconds: Int64

  /// Creates the time of a number of microseconds.
  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Rounds a date to the nearest microsecond; a date that 64 bits cannot count becomes the first or last time.
  public init(_ date: Date) {
    microseconds = date.microseconds
  }

  /// The time as a date, which rounds to this time again while it lies between the years 1684 and 2255.
  public var date: Date { Date(microseconds: microseconds) }

  /// Returns the time that is `duration` later; never an earlier one, and at most the last one.
  public func later(by duration: Duration) -> StoredTime {
    let (seconds, attoseconds) = Duration.zero.later(by: duration).components
    let (added, tooMuch) = microseconds.addingReportingOverflow(
      seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    return StoredTime(microseconds: tooMuch ? .max : added)
  }

  /// Orders times from early to late.
  public static func < (left: StoredTime, right: StoredTime) -> Bool { left.microseconds < right.microseconds }
}

extension HistoryEntry {
  /// The entry as it will be read back: with its time rounded to microseconds.
  public var stored: HistoryEntry {
    var copy = self
    copy.at = at.stored
    return copy
  }
}
