/// The currencies in which the shop shows its prices. Payments are in euros.
package enum Currency: String, Sendable, Codable, CaseIterable {
  case euro = "EUR"
  case dollar = "USD"
  case pound = "GBP"

  /// The symbol before an amount.
  package var symbol: String {
    switch self {
    case .euro: "€"
    case .dollar: "$"
    case .pound: "£"
    }
  }
}
