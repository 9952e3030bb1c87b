import ActorFlow

/// Shows the order and asks for a card.
package struct PaymentForm: Prompt, Codable {
  package typealias Answer = Card

  /// What is to be paid, and what became of the tries before.
  package let bill: Bill
  /// The current month.
  package let today: Month

  /// What is bought, and for how much.
  package var order: Order { bill.order }
  /// Why the card before this one was declined, if there was one.
  package var refusal: String? { bill.refusal }

  /// Lets through a well-formed card that has not expired. Whether it has money is the gateway's business.
  package func validate(_ answer: Card) throws { try answer.check(today: today) }
}

/// Asks for another way to pay, after every try with a card was declined.
package struct MethodForm: Prompt, Codable {
  package typealias Answer = LaterMethod

  /// What is to be paid.
  package let bill: Bill
}
