/// An amount of euros, counted in whole cents: no rounding anywhere.
package struct Amount: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The amount in cents, at least 1 and at most ``highest``.
  package let cents: Int

  /// The largest amount of one expense: a million euros.
  package static let highest = 100_000_000

  /// An amount in cents.
  ///
  /// - Throws: A ``Problem`` if it is zero, negative, or more than ``highest``.
  package init(cents: Int) throws {
    guard cents > 0 else { throw Problem("An expense is of at least one cent.") }
    guard cents <= Self.highest else { throw Problem("An expense is of at most 1000000.00 euros.") }
    self.cents = cents
  }

  /// Reads an amount of euros such as `12`, `12.5` or `12.50`.
  ///
  /// - Throws: A ``Problem`` that explains the format, or as ``init(cents:)``.
  package init(parsing text: String) throws {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let refusal = Problem("“\(text.prefix(40))” is no amount; write euros and cents as in 129.90.")
    guard (1...2).contains(parts.count), parts.allSatisfy(Self.isNumber) else { throw refusal }
    var digits = parts.count == 2 ? String(parts[1]) : "00"
    guard digits.count <= 2 else { throw refusal }
    if digits.count == 1 { digits += "0" }
    guard let fraction = Int(digits) else { throw refusal }
    // Too many digits for a number are too many euros as well.
    let euros = Int(parts[0]) ?? Self.highest
    try self.init(cents: euros > Self.highest / 100 ? Self.highest + 1 : euros * 100 + fraction)
  }

  private static func isNumber(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// The amount with its cents: `129.90 €`.
  package var description: String {
    let fraction = cents % 100
    return "\(cents / 100).\(fraction < 10 ? "0" : "")\(fraction) €"
  }

  /// Reads the cents, and checks them: the store may have a value that another version has written.
  package init(from decoder: any Decoder) throws {
    try self.init(cents: try decoder.singleValueContainer().decode(Int.self))
  }

  /// Writes the cents.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(cents)
  }
}
