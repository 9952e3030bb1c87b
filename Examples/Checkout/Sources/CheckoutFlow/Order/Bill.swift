/// An order to be paid, and the number of tries so far.
package struct Bill: Sendable, Codable {
  /// The largest number of tries with a card.
  package static let tryLimit = 3

  /// The order.
  package let order: Order
  /// The number of declined cards.
  package private(set) var tries = 0
  /// The reason for the last decline, if there was one.
  package private(set) var refusal: String?

  /// A bill before the first try.
  package init(order: Order) {
    self.order = order
  }

  /// The bill after a card was declined.
  package func declined(_ sentence: String) -> Bill {
    var bill = self
    bill.tries += 1
    bill.refusal = sentence
    return bill
  }
}

/// The payment methods without a card.
package enum LaterMethod: String, Sendable, Codable, CaseIterable {
  case invoice, cash

  /// The customer's text.
  package var title: String {
    switch self {
    case .invoice: "invoice, within 14 days"
    case .cash: "cash on delivery"
    }
  }
}

/// The payment of an order.
package enum Settlement: Sendable, Codable {
  case card(Payment)
  case later(LaterMethod)
}

/// An order with its payment.
package struct PaidOrder: Sendable, Codable {
  package let order: Order
  package let settlement: Settlement
}
