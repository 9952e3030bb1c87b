import ActorFlow

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A value that is stored as bytes, with code that both writes and reads it.
///
/// The bytes contain neither names nor types of fields. So code an added field last, under a new format, and only from
/// that format on.
protocol StoredPart {
  /// A value to read into.
  static var placeholder: Self { get }

  /// Writes the fields, or replaces them by those that are read.
  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure)
}

/// A stored part that is one of several cases: the case's tag, and then its fields.
protocol StoredChoice: StoredPart {
  /// The name of the choice in errors.
  static var name: String { get }
  /// A value to read into for each tag; at least one.
  static var placeholders: [Self] { get }
  /// The stored number of the case. Never change a tag, and give a new case a new one.
  var tag: UInt8 { get }

  mutating func codeFields<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure)
}

extension StoredChoice {
  static var placeholder: Self { placeholders[0] }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    var read = tag
    try coder.byte(&read)
    if read != tag {
      let choice = Self.placeholders.first { $0.tag == read }
      try coder.check(choice != nil, Self.unknown(read))
      self = choice ?? self
    }
    try codeFields(with: &coder)
  }

  mutating func codeFields<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {}

  static func unknown(_ tag: UInt8) -> String { "there is no \(name) with the code \(tag)" }
}

// MARK: - Parts of the standard library

extension Optional: StoredPart where Wrapped: StoredPart {
  static var placeholder: Self { nil }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) { try coder.optional(&self) }
}

extension Array: StoredPart where Element: StoredPart {
  static var placeholder: Self { [] }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) { try coder.list(&self) }
}

extension Bool: StoredPart {
  static var placeholder: Bool { false }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) { try coder.bool(&self) }
}

extension String: StoredPart {
  static var placeholder: String { "" }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) { try coder.string(&self) }
}

/// A number that is counted up. A reader refuses one that is so large that it could overflow.
extension Int: StoredPart {
  static var placeholder: Int { 0 }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.int(&self)
    try coder.check(0...(Int.max >> 1) ~= self, "\(self) is not a valid number")
  }
}

extension StoredPart where Self: FixedWidthInteger & UnsignedInteger {
  static var placeholder: Self { 0 }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) { try coder.fixed(&self) }
}

extension UInt64: StoredPart {}
extension UInt32: StoredPart {}

/// A duration, whose whole seconds are clamped to 64 bits.
extension Duration: StoredPart {
  static var placeholder: Duration { .zero }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    let parts = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
    var (seconds, rest) = (Int64(clamping: parts.quotient), Int64(parts.remainder))
    try coder.signed(&seconds)
    try coder.signed(&rest)
    try coder.check(rest.magnitude < 1_000_000_000_000_000_000, "\(rest) is not a fraction of a second")
    self = Duration(secondsComponent: seconds, attosecondsComponent: rest)
  }
}

/// A time in microseconds since 1970; a time that they cannot count is replaced by the nearest that they can.
extension Date: StoredPart {
  static var placeholder: Date { Date(microseconds: 0) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    var microseconds = microseconds
    try coder.signed(&microseconds)
    self = Date(microseconds: microseconds)
  }
}

extension Date {
  /// The time in microseconds since 1970, rounded.
  package var microseconds: Int64 {
    let value = (timeIntervalSince1970 * 1e6).rounded()
    if value.isNaN { return 0 }
    return Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }

  package init(microseconds: Int64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1e6)
  }

  /// The time as a store returns it: rounded to microseconds.
  package var stored: Date { Date(microseconds: microseconds) }
}

// MARK: - Parts of flows

extension StepID: StoredPart {
  static var placeholder: StepID { "" }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    self = StepID(try coder.coded(path))
  }
}

extension RandomBits: StoredPart {
  static var placeholder: RandomBits { RandomBits(high: 0, low: 0) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    self = RandomBits(high: try coder.coded(high), low: try coder.coded(low))
  }
}
