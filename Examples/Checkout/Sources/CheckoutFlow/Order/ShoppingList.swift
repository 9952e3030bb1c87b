/// The customer's wishes. Nothing is held for them yet.
package struct ShoppingList: Sendable, Codable {
  /// The largest number of one product.
  package static let quantityLimit = 99

  /// A number of one product.
  package struct Item: Sendable, Hashable, Codable {
    package let sku: SKU
    package var quantity: Int
  }

  /// The wishes, in the order in which they were first added; each product once.
  package let items: [Item]
  /// The wishes before each change that can be reverted, oldest first.
  package let history: [[Item]]
  /// The agreed prices, if there are any.
  package let prices: PriceList?
  /// The reason why the warehouse refused it, if it was asked.
  package private(set) var refusal: String?

  /// A list; empty by default.
  package init(_ items: [Item] = [], history: [[Item]] = [], prices: PriceList? = nil) {
    self.items = items
    self.history = history
    self.prices = prices
  }

  /// The list after the warehouse has refused it.
  package func refused(_ sentence: String) -> ShoppingList {
    var list = self
    list.refusal = sentence
    return list
  }
}
