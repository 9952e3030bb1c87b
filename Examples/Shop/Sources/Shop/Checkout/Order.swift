/// The customer for whom a checkout is started.
public struct Customer: Codable, Sendable {
  var name: String
}

/// An article with its number of pieces and its price.
struct OrderLine: Codable, Sendable, Equatable {
  var article: Article
  var quantity: Int
  /// The price of a piece, in cents.
  var price: Int
}

/// The goods that a customer has chosen, at the prices that were shown.
struct Cart: Codable, Sendable, Equatable {
  var customer: String
  var lines: [OrderLine]
  /// The price of all pieces, in cents.
  var total: Int { lines.reduce(0) { $0 + $1.price * $1.quantity } }
}

/// A way of delivery.
enum Shipping: String, Codable, Sendable, CaseIterable {
  case standard, express, pickup

  /// The price, in cents.
  var price: Int {
    switch self {
    case .standard: 4_90
    case .express: 12_00
    case .pickup: 0
    }
  }
}

/// The answer to the question about the delivery.
struct Delivery: Codable, Sendable, Equatable {
  var shipping: Shipping
  var street: String?
  var city: String?
}

/// A cart with its delivery.
struct Order: Codable, Sendable, Equatable {
  var cart: Cart
  var delivery: Delivery
  /// The price of the goods and their delivery, in cents.
  var total: Int { cart.total + delivery.shipping.price }
}

/// An order whose goods are reserved, and whose customer may be trusted.
struct CheckedOrder: Codable, Sendable, Equatable {
  var order: Order
  /// The key of the reservation.
  var reservation: String
}

/// A sent order.
public struct Receipt: Codable, Sendable {
  /// The price that was paid, in cents.
  public var total: Int
  /// The number of the parcel; `nil` if the customer fetches the goods.
  public var parcel: String?

  /// A sentence about the way of the goods.
  var delivery: String { parcel.map { "Your parcel is \($0)." } ?? "Your goods are ready to be fetched." }
}
