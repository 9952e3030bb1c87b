/// What the warehouse holds back for the customer, at the prices that were agreed.
package struct Basket: Sendable, Codable {
  /// The lines, oldest first.
  package private(set) var lines: [BasketLine] = []

  /// An empty basket.
  package init() {}

  /// The price of everything in it.
  package var total: Money { lines.reduce(.zero) { $0 + $1.price } }

  /// How many things are in it.
  package var pieces: Int { lines.reduce(0) { $0 + $1.quantity } }

  /// The basket with one line more.
  package func adding(_ line: BasketLine) -> Basket {
    var basket = self
    basket.lines.append(line)
    return basket
  }
}

/// So many of one product, held back by the warehouse.
package struct BasketLine: Sendable, Codable {
  /// What is bought.
  package let product: Product
  /// What one of it costs.
  package let unitPrice: Money
  /// How the warehouse knows it; says how many.
  package let reservation: Reservation

  /// How many.
  package var quantity: Int { reservation.quantity }
  /// The price of them all.
  package var price: Money { unitPrice * quantity }
}
