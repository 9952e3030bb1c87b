/// 96 random bits that set the idempotency keys of one run apart from those of every other run, in any process.
///
/// They are no secret: whoever receives an idempotency key reads them in it.
package struct KeyBits: Hashable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt32

  package init(high: UInt64, low: UInt32) {
    (self.high, self.low) = (high, low)
  }

  /// Bits that no other call has returned.
  package static func random() -> KeyBits {
    var generator = SystemRandomNumberGenerator()
    return KeyBits(high: generator.next(), low: generator.next())
  }

  /// 24 hexadecimal digits, the letters small.
  package var description: String { Hexadecimal.text(of: high, digits: 16) + Hexadecimal.text(of: low, digits: 8) }
}

/// Numbers in hexadecimal digits, with leading zeros and small letters.
enum Hexadecimal {
  static func text(of number: some FixedWidthInteger & UnsignedInteger, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: digits - text.utf8.count) + text
  }
}
