import ActorFlow

/// Shows the order and asks for a card.
package struct PaymentForm: Prompt {
  package typealias Answer = Card

  /// What is bought, and for how much.
  package let order: Order
  /// The current month.
  package let today: Month
  /// Why the card before this one was declined, if there was one.
  package let refusal: String?

  /// Lets through a well-formed card that has not expired. Whether it has money is the gateway's business.
  package func validate(_ answer: Card) throws { try answer.check(today: today) }
}
