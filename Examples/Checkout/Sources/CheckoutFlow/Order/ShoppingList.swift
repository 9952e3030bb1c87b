/// What the customer wants. Nothing of it is held back yet.
package struct ShoppingList: Sendable, Codable {
  /// The most that may be wanted of one product.
  package static let quantityLimit = 99

  /// So many of one product.
  package struct Item: Sendable, Hashable, Codable {
    package let sku: SKU
    package var quantity: Int
  }

  /// What is wanted, in the order in which it was first asked for; each product once.
  package let items: [Item]
  /// What was wanted before each change that can be undone, oldest first.
  package let history: [[Item]]
  /// The prices that were agreed, once they were.
  package let prices: PriceList?
  /// Why the warehouse did not hold it back, if it was asked.
  package private(set) var refusal: String?

  /// A list; empty by default.
  package init(_ items: [Item] = [], history: [[Item]] = [], prices: PriceList? = nil) {
    self.items = items
    self.history = history
    self.prices = prices
  }

  /// The list after the warehouse was asked in vain.
  package func refused(_ sentence: String) -> ShoppingList {
    var list = self
    list.refusal = sentence
    return list
  }
}
