/// A basket, and who wants it.
package struct Request: Sendable, Codable {
  package let basket: Basket
  package let contact: Contact
  /// What is taken off the goods' price, in percent.
  package let discount: Int

  /// A request; guests get no discount.
  package init(basket: Basket, contact: Contact, discount: Int) {
    self.basket = basket
    self.contact = contact
    self.discount = discount
  }
}

/// A request, and where it goes.
package struct Consignment: Sendable, Codable {
  package let request: Request
  package let address: Address
}

/// Something sold beside the goods.
package struct Extra: Sendable, Hashable, Codable {
  package let title: String
  package let price: Money
}

/// Whether goods that do not fit into one parcel wait for each other.
package enum Packing: String, Sendable, Codable, CaseIterable {
  /// Everything comes in one go.
  case together
  /// Each parcel leaves when it is ready.
  case split

  /// The most pieces one parcel holds.
  package static let piecesInOneParcel = 20
}

/// Everything that has to be known before somebody pays.
package struct Order: Sendable, Codable {
  package let consignment: Consignment
  package let delivery: DeliveryOption
  /// What the customer was talked into.
  package private(set) var extras: [Extra] = []
  /// How it is packed; nil until the stock is reserved.
  package private(set) var packing: Packing?
  /// What the fraud desk said; nil until it has.
  package private(set) var clearance: Clearance?

  /// An order without extras.
  package init(consignment: Consignment, delivery: DeliveryOption) {
    self.consignment = consignment
    self.delivery = delivery
  }

  /// What is bought.
  package var basket: Basket { consignment.request.basket }
  /// Who buys.
  package var contact: Contact { consignment.request.contact }
  /// Where it goes.
  package var address: Address { consignment.address }
  /// What a member does not pay of the goods.
  package var discount: Money { Money(cents: basket.total.cents * consignment.request.discount / 100) }
  /// What has to be paid.
  package var total: Money {
    extras.reduce(basket.total - discount + delivery.price) { $0 + $1.price }
  }

  /// The order with something more.
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
  /// What the courier has; nil if the customer fetches it in the shop.
  package let parcel: Parcel?

  /// What the card was charged; nil if it is paid later.
  package var payment: Payment? {
    if case .card(let payment) = settlement { payment } else { nil }
  }
}
