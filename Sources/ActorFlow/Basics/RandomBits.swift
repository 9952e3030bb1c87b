/// 128 random bits, unique and impossible to guess, written as 32 hexadecimal digits.
package struct RandomBits: Hashable, Sendable, Codable, LosslessStringConvertible {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    (self.high, self.low) = (high, low)
  }

  package init(using generator: inout some RandomNumberGenerator) {
    self.init(high: generator.next(), low: generator.next())
  }

  /// Parses a ``description``; `nil` for any other text.
  package init?(_ text: String) {
    var text = text
    let parts = text.withUTF8 { digits -> (UInt64, UInt64)? in
      guard digits.count == 32, let high = Self.number(digits[..<16]), let low = Self.number(digits[16...]) else {
        return nil
      }
      return (high, low)
    }
    guard let (high, low) = parts else { return nil }
    self.init(high: high, low: low)
  }

  /// The bits as 32 lowercase hexadecimal digits.
  package var description: String {
    String(unsafeUninitializedCapacity: 32) { digits in
      for index in 0..<32 {
        let part = index < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: part >> (60 - 4 * UInt64(index % 16))) & 0xF
        digits[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      }
      return 32
    }
  }

  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      default: return nil
      }
      number = number << 4 | UInt64(value)
    }
    return number
  }
}
