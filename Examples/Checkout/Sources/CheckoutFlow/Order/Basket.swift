/// The goods held for the customer, at the agreed prices.
package struct Basket: Sendable, Codable {
  /// The lines, oldest first.
  package private(set) var lines: [BasketLine] = []

  /// An empty basket.
  package init() {}

  /// The price of all lines.
  package var total: Money { lines.reduce(.zero) { $0 + $1.price } }

  /// The number of pieces.
  package var pieces: Int { lines.reduce(0) { $0 + $1.quantity } }

  /// The basket with one line more.
  package func adding(_ line: BasketLine) -> Basket {
    var basket = self
    basket.lines.append(line)
    return basket
  }
}

/// A number of one product, held by the warehouse.
package struct BasketLine: Sendable, Codable {
  /// The product.
  package let product: Product
  /// The price of one piece.
  package let unitPrice: Money
  /// The warehouse's hold, with the number of pieces.
  package let reservation: Reservation

  /// The number of pieces.
  package var quantity: Int { reservation.quantity }
  /// The price of all pieces.
  package var price: Money { unitPrice * quantity }
}
