/// Who knows what things cost now.
package protocol PriceSource: Sendable {
  /// The prices of this moment, to be shown in this currency.
  ///
  /// - Throws: Whatever keeps it from knowing. The basket then goes on with the prices it has, and says so.
  func prices(in currency: Currency) async throws -> PriceList
}

/// A market, simulated: prices in euros stay, and what a euro costs elsewhere moves by a cent with every look.
package actor Market: PriceSource {
  private var looks = 0

  /// A market at which nobody has looked.
  package init() {}

  /// The prices of the catalogue, at the rate of this moment.
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
