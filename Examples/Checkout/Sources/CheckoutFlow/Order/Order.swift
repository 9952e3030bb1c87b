/// A basket, and who wants it.
package struct Request: Sendable {
  package let basket: Basket
  package let contact: Contact
}

/// A request, and where it goes.
package struct Consignment: Sendable {
  package let request: Request
  package let address: Address
}

/// Everything that has to be known before somebody pays.
package struct Order: Sendable {
  package let consignment: Consignment
  package let delivery: DeliveryOption

  /// What is bought.
  package var basket: Basket { consignment.request.basket }
  /// Who buys.
  package var contact: Contact { consignment.request.contact }
  /// Where it goes.
  package var address: Address { consignment.address }
  /// What has to be paid.
  package var total: Money { basket.total + delivery.price }
}

/// An order that is paid.
package struct PaidOrder: Sendable {
  package let order: Order
  package let payment: Payment
}

/// An order that is paid and on its way: what the flow returns.
package struct Receipt: Sendable {
  package let order: Order
  package let payment: Payment
  /// What the courier has; nil if the customer fetches it in the shop.
  package let parcel: Parcel?
}
