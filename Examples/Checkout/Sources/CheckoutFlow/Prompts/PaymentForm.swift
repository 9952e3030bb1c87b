import ActorFlow

/// Shows the order and asks for a card.
package struct PaymentForm: Prompt, Codable {
  package typealias Answer = Card

  /// The bill, with the earlier tries.
  package let bill: Bill
  /// The current month.
  package let today: Month

  /// The order and its price.
  package var order: Order { bill.order }
  /// The card before this one and the reason why it was declined, if there was one.
  package var declined: DeclinedCard? { bill.declined.last }

  /// Accepts a well-formed card that has not expired. The gateway checks its balance.
  package func validate(_ answer: Card) throws { try answer.check(today: today) }
}

/// Asks for another payment method, after every try with a card was declined.
package struct MethodForm: Prompt, Codable {
  package typealias Answer = LaterMethod

  /// The bill.
  package let bill: Bill
}
