/// An order that is to be paid, and how often that was tried.
package struct Bill: Sendable, Codable {
  /// How often a card may be tried.
  package static let tryLimit = 3

  /// What is paid for.
  package let order: Order
  /// How many cards were declined.
  package private(set) var tries = 0
  /// Why the last one was, if there was one.
  package private(set) var refusal: String?

  /// A bill that nobody has tried to pay.
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

/// Ways to pay without a card.
package enum LaterMethod: String, Sendable, Codable, CaseIterable {
  case invoice, cash

  /// What the customer reads.
  package var title: String {
    switch self {
    case .invoice: "invoice, within 14 days"
    case .cash: "cash on delivery"
    }
  }
}

/// How an order is paid.
package enum Settlement: Sendable, Codable {
  case card(Payment)
  case later(LaterMethod)
}

/// An order that is paid, or will be.
package struct PaidOrder: Sendable, Codable {
  package let order: Order
  package let settlement: Settlement
}
