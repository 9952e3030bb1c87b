#if SQLite
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension Date {
    /// The microseconds since 1970, as the tables have times.
    var microseconds: Int {
      let value = (timeIntervalSince1970 * 1e6).rounded()
      return Int(exactly: value) ?? (value < 0 ? .min : .max)
    }

    init(microseconds: Int) {
      self.init(timeIntervalSince1970: Double(microseconds) / 1e6)
    }
  }

  extension Duration {
    var wholeMicroseconds: Int {
      let (seconds, attoseconds) = components
      let (whole, overflows) = Int(seconds).multipliedReportingOverflow(by: 1_000_000)
      return overflows ? (seconds < 0 ? .min : .max) : whole.addingClamped(Int(attoseconds / 1_000_000_000_000))
    }
  }

  extension Int {
    /// The sum, or the nearest number that can be represented.
    func addingClamped(_ other: Int) -> Int {
      let (sum, overflows) = addingReportingOverflow(other)
      return overflows ? (other < 0 ? .min : .max) : sum
    }
  }
#endif
