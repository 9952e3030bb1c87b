/// The actions of a basket.
package enum BasketAction: Sendable, Equatable, Codable {
  /// Adds this many pieces.
  case add(SKU, quantity: Int)
  /// Removes the product.
  case remove(SKU)
  /// Sets the number of pieces.
  case quantity(SKU, Int)
  /// Reverts the last change.
  case undo
  /// Shows the prices in this currency.
  case currency(Currency)
  /// Checks out for the shown total.
  case checkout(total: Money)
  /// News of the shop, not an action of the customer.
  case news(ShopNews)
}

/// The shop's news for a basket.
package enum ShopNews: Sendable, Equatable, Codable {
  /// The current prices.
  case prices(PriceList)
  /// The current prices are unknown; the sentence gives the reason.
  case noPrices(String)
  /// The stock of each product.
  case stock([SKU: Int])
}
