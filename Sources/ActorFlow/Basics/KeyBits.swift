/// 96 bits that distinguish the idempotency keys of one run from those of every other run, in any process: random, or a
/// digest of an identity that the run's starter gives.
///
/// The bits are not secret: every idempotency key contains them.
package struct KeyBits: Hashable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt32

  package init(high: UInt64, low: UInt32) {
    (self.high, self.low) = (high, low)
  }

  /// Returns bits that no other call has returned.
  package static func random() -> KeyBits {
    var generator = SystemRandomNumberGenerator()
    return KeyBits(high: generator.next(), low: generator.next())
  }

  /// Returns the bits of an identity, always the same for the same text.
  package static func digest(of identity: String) -> KeyBits {
    let words = SHA256.hash(identity.utf8)
    return KeyBits(high: UInt64(words[0]) << 32 | UInt64(words[1]), low: words[2])
  }

  /// The bits as 24 lowercase hexadecimal digits.
  package var description: String { Hexadecimal.text(of: high, digits: 16) + Hexadecimal.text(of: low, digits: 8) }
}

/// Numbers as lowercase hexadecimal digits with leading zeros.
enum Hexadecimal {
  static func text(of number: some FixedWidthInteger & UnsignedInteger, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: digits - text.utf8.count) + text
  }
}
