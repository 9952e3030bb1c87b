/// An amount of euros, counted in whole cents: no rounding anywhere.
package struct Money: Hashable, Sendable, Codable {
  /// The amount in cents.
  package let cents: Int

  /// An amount in cents.
  package init(cents: Int) {
    self.cents = cents
  }

  /// Nothing.
  package static let zero = Money(cents: 0)

  /// The highest price in a catalogue: with it, no basket can overflow.
  package static let highestPrice = Money(cents: 100_000_000)

  /// Reads an amount such as `12`, `12.5` or `12.50`; nil for anything else, also for one above ``highestPrice``.
  package init?(parsing text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = parts.first, Self.isDigits(whole), let euros = Int(whole) else { return nil }
    var cents = 0
    if parts.count == 2 {
      guard parts[1].count <= 2, Self.isDigits(parts[1]), let fraction = Int(parts[1]) else { return nil }
      cents = parts[1].count == 1 ? fraction * 10 : fraction
    }
    guard euros <= Self.highestPrice.cents / 100, euros * 100 + cents <= Self.highestPrice.cents else { return nil }
    self.cents = euros * 100 + cents
  }

  private static func isDigits(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

extension Money: Comparable {
  /// Orders by amount.
  package static func < (left: Money, right: Money) -> Bool { left.cents < right.cents }

  /// The sum.
  package static func + (left: Money, right: Money) -> Money { Money(cents: left.cents + right.cents) }

  /// The difference.
  package static func - (left: Money, right: Money) -> Money { Money(cents: left.cents - right.cents) }

  /// The amount multiplied by a number.
  package static func * (amount: Money, count: Int) -> Money { Money(cents: amount.cents * count) }
}

extension Money: CustomStringConvertible {
  /// The amount as it stands on a receipt: `€1,299.00`.
  package var description: String { text(with: Currency.euro.symbol) }

  /// The amount behind this symbol, with its cents and its thousands.
  func text(with symbol: String) -> String {
    let whole = String(cents.magnitude / 100)
    var grouped = ""
    for (index, digit) in whole.enumerated() {
      if index > 0, (whole.count - index).isMultiple(of: 3) { grouped.append(",") }
      grouped.append(digit)
    }
    let fraction = cents.magnitude % 100
    return (cents < 0 ? "-" : "") + "\(symbol)\(grouped).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}
