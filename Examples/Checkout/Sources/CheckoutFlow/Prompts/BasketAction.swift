/// What may happen to a basket.
package enum BasketAction: Sendable, Equatable, Codable {
  /// So many more of this, please.
  case add(SKU, quantity: Int)
  /// None of this.
  case remove(SKU)
  /// So many of this, however many there were.
  case quantity(SKU, Int)
  /// As it was before the last change.
  case undo
  /// Show the prices in this currency.
  case currency(Currency)
  /// That is all, for the total that was shown.
  case checkout(total: Money)
  /// Not from the customer: the shop knows something new.
  case news(ShopNews)
}

/// What the shop tells a basket.
package enum ShopNews: Sendable, Equatable, Codable {
  /// What things cost now.
  case prices(PriceList)
  /// Nobody knows what they cost now; the sentence says why.
  case noPrices(String)
  /// How many of each product are left.
  case stock([SKU: Int])
}
