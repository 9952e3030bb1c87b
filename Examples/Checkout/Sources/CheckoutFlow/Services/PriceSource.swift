/// A source of current prices.
package protocol PriceSource: Sendable {
  /// The current prices, to be shown in this currency.
  ///
  /// - Throws: Any error that makes the prices unknown. The basket then continues with its last prices, and shows the
  /// error.
  func prices(in currency: Currency) async throws -> PriceList
}

/// A simulated market: prices in euros stay, and the rate of a currency changes by a cent with every request.
package actor Market: PriceSource {
  private var looks = 0

  /// A market before its first request.
  package init() {}

  /// The prices of the catalogue, at the current rate.
  package func prices(in currency: Currency) -> PriceList {
    let middle: Int
    switch currency {
    case .euro: return PriceList()
    case .dollar: middle = 108
    case .pound: middle = 86
    }
    defer { looks += 1 }
    return PriceList(in: currency, rate: middle + [0, 1, 0, -1][looks % 4])
  }
}
