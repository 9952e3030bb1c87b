/// 128 random bits.
package struct QuestionToken: Hashable, Sendable, Codable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    (self.high, self.low) = (high, low)
  }

  package init(using generator: inout some RandomNumberGenerator) {
    self.init(high: generator.next(), low: generator.next())
  }

  init?(_ text: some StringProtocol) {
    guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
      let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  package var description: String { Self.digits(high) + Self.digits(low) }

  private static func digits(_ part: UInt64) -> String {
    let digits = String(part, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
