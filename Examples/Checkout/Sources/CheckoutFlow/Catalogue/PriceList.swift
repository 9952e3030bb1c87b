/// The prices at one moment, in euros, and the currency in which they are shown.
package struct PriceList: Sendable, Equatable, Codable {
  /// The currency in which it is shown.
  package let currency: Currency
  /// The price of one euro in that currency, in its cents.
  package let rate: Int
  private let changed: [SKU: Money]

  /// A list.
  ///
  /// - Parameter changed: The prices that differ from the catalogue.
  package init(in currency: Currency = .euro, rate: Int = 100, changed: [SKU: Money] = [:]) {
    self.currency = currency
    self.rate = rate
    self.changed = changed
  }

  /// The price of one piece.
  package func price(of product: Product) -> Money { changed[product.sku] ?? product.price }

  /// An amount as it is shown in the list's currency.
  package func text(_ amount: Money) -> String {
    Money(cents: (amount.cents * rate + 50) / 100).text(with: currency.symbol)
  }
}

extension PriceList {
  /// The highest price of one euro, in cents: with it, no basket can overflow.
  private static let highestRate = 1_000_000

  /// Reads a list in which each line is `SKU,price`, in euros, or `USD,rate`, the price of one euro in that currency.
  ///
  /// - Throws: ``Problem`` with the first invalid line, or if the currency's rate is missing.
  package init(reading text: String, in currency: Currency, of catalogue: Catalogue) throws {
    var (rates, changed) = ([Currency.euro: 100], [SKU: Money]())
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
      let fields = try CSVLine.fields(of: line)
      guard fields.count == 2, let amount = Money(parsing: fields[1]) else {
        throw Problem("line \(index + 1) must hold a name and an amount, such as TLS-101,12.50")
      }
      if let other = Currency(rawValue: fields[0].uppercased()), other != .euro {
        guard (1...Self.highestRate).contains(amount.cents) else {
          throw Problem("line \(index + 1): a euro must cost from 0.01 to 10000 \(other.rawValue)")
        }
        rates[other] = amount.cents
      } else if catalogue[SKU(fields[0])] != nil {
        changed[SKU(fields[0])] = amount
      } else {
        throw Problem("line \(index + 1): \(quoted(fields[0])) is neither a product nor a currency")
      }
    }
    guard let rate = rates[currency] else { throw Problem("there is no rate for \(currency.rawValue)") }
    self.init(in: currency, rate: rate, changed: changed)
  }
}
