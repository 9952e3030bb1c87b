/// The articles for sale.
public enum Article: String, Codable, CodingKeyRepresentable, Sendable, CaseIterable {
  case teapot, kettle, samovar

  /// The name for people.
  public var name: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  /// The price at the opening of the shop, in cents.
  var openingPrice: Int {
    switch self {
    case .teapot: 24_00
    case .kettle: 39_50
    case .samovar: 480_00
    }
  }

  /// The number of pieces at the opening of the shop.
  var openingStock: Int {
    switch self {
    case .teapot: 40
    case .kettle: 15
    case .samovar: 3
    }
  }
}

/// Amounts of money for people.
enum Euros {
  static func text(_ cents: Int) -> String {
    let rest = abs(cents % 100)
    return "\(cents < 0 ? "-" : "")\(abs(cents / 100)).\(rest < 10 ? "0" : "")\(rest) €"
  }
}
