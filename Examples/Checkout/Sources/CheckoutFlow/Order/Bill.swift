/// A card that did not pay, as the customer may see it.
package struct DeclinedCard: Sendable, Codable, Equatable {
  /// The last four digits.
  package let ending: String
  /// The reason, as a sentence without a full stop.
  package let reason: String
}

/// An order to be paid, and the cards that did not pay it.
package struct Bill: Sendable, Codable {
  /// The largest number of tries with a card.
  package static let tryLimit = 3

  /// The order.
  package let order: Order
  /// The declined cards, oldest first.
  package private(set) var declined: [DeclinedCard] = []
  /// The number of declined cards.
  package var tries: Int { declined.count }

  /// A bill before the first try.
  package init(order: Order) {
    self.order = order
  }

  /// The bill after a card was declined.
  package func declined(_ card: Card, _ reason: String) -> Bill {
    var bill = self
    bill.declined.append(DeclinedCard(ending: card.ending, reason: reason))
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
