/// What the customer wants, and what the warehouse holds back for it.
package struct Basket: Sendable {
  /// How many lines a basket holds at most: the flow has one step for each.
  package static let lineLimit = 12

  /// The lines, oldest first.
  package private(set) var lines: [BasketLine]
  /// Whether the customer said that this is all, or no line is left.
  package private(set) var isClosed: Bool

  /// An empty basket.
  package init() {
    lines = []
    isClosed = false
  }

  /// The price of everything in it.
  package var total: Money { lines.reduce(.zero) { $0 + $1.price } }

  /// The basket with one line more; closed, if that was the last one it can hold.
  package func adding(_ line: BasketLine) -> Basket {
    var basket = self
    basket.lines.append(line)
    basket.isClosed = basket.lines.count >= Self.lineLimit
    return basket
  }

  /// The basket, closed: the line steps that are left are skipped.
  package func closed() -> Basket {
    var basket = self
    basket.isClosed = true
    return basket
  }
}

/// So many of one product, held back by the warehouse.
package struct BasketLine: Sendable {
  /// What is bought.
  package let product: Product
  /// How the warehouse knows it; says how many.
  package let reservation: Reservation

  /// How many.
  package var quantity: Int { reservation.quantity }
  /// The price of them all.
  package var price: Money { product.price * quantity }
}
