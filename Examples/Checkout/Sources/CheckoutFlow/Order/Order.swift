/// A basket and its customer.
package struct Request: Sendable, Codable {
  package let basket: Basket
  package let contact: Contact
  /// The discount on the goods' price, in percent.
  package let discount: Int

  /// A request; guests get no discount.
  package init(basket: Basket, contact: Contact, discount: Int) {
    self.basket = basket
    self.contact = contact
    self.discount = discount
  }
}

/// A request and its delivery address.
package struct Consignment: Sendable, Codable {
  package let request: Request
  package let address: Address
}

/// An extra sold beside the goods.
package struct Extra: Sendable, Hashable, Codable {
  package let title: String
  package let price: Money
}

/// Whether goods that do not fit into one parcel wait for each other.
package enum Packing: String, Sendable, Codable, CaseIterable {
  /// All goods are sent at once.
  case together
  /// Each parcel leaves when it is ready.
  case split

  /// The largest number of pieces in one parcel.
  package static let piecesInOneParcel = 20
}

/// All data of an order before the payment.
package struct Order: Sendable, Codable {
  package let consignment: Consignment
  package let delivery: DeliveryOption
  /// The extras that the customer has accepted.
  package private(set) var extras: [Extra] = []
  /// The packing; nil until the stock is reserved.
  package private(set) var packing: Packing?
  /// The clearance of the fraud desk; nil until it is given.
  package private(set) var clearance: Clearance?

  /// An order without extras.
  package init(consignment: Consignment, delivery: DeliveryOption) {
    self.consignment = consignment
    self.delivery = delivery
  }

  /// The goods.
  package var basket: Basket { consignment.request.basket }
  /// The customer.
  package var contact: Contact { consignment.request.contact }
  /// The delivery.
  package var address: Address { consignment.address }
  /// The discount of a member.
  package var discount: Money { Money(cents: basket.total.cents * consignment.request.discount / 100) }
  /// The price of the order.
  package var total: Money {
    extras.reduce(basket.total - discount + delivery.price) { $0 + $1.price }
  }

  /// The order with one more extra.
  package func adding(_ extra: Extra) -> Order {
    var order = self
    order.extras.append(extra)
    return order
  }

  /// The order after both checks.
  package func packed(_ packing: Packing, clearedAs clearance: Clearance) -> Order {
    var order = self
    order.packing = packing
    order.clearance = clearance
    return order
  }
}

/// An order that is paid and on its way: what the flow returns.
package struct Receipt: Sendable, Codable {
  package let order: Order
  package let settlement: Settlement
  /// The courier's parcel; nil if the customer fetches it in the shop.
  package let parcel: Parcel?

  /// The card's payment; nil if it is paid later.
  package var payment: Payment? {
    if case .card(let payment) = settlement { payment } else { nil }
  }
}
