/// A month of a year: the expiry of a card, and the precision of today's date.
package struct Month: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
  /// The year, with its century.
  package let year: Int
  /// 1 to 12.
  package let number: Int

  /// A month; nil if there is no such month.
  package init?(year: Int, number: Int) {
    guard (1...12).contains(number), (2000...9999).contains(year) else { return nil }
    self.year = year
    self.number = number
  }

  /// Reads `MM/YY` or `MM/YYYY`; nil for anything else.
  package init?(parsing text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].count), [2, 4].contains(parts[1].count) else { return nil }
    guard parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }) else { return nil }
    guard let number = Int(parts[0]), let year = Int(parts[1]) else { return nil }
    self.init(year: year < 100 ? 2000 + year : year, number: number)
  }

  /// `MM/YY`.
  package var description: String {
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(two(number))/\(two(year % 100))"
  }

  /// Orders by time.
  package static func < (left: Month, right: Month) -> Bool {
    (left.year, left.number) < (right.year, right.number)
  }
}
