package import ActorFlow

/// Lets the customer cancel a payment while the card's bank has not approved it. Any answer cancels.
package struct CancelPaymentForm: Prompt, Codable {
  package typealias Answer = Cancellation

  /// The customer's decision.
  package enum Cancellation: String, Sendable, Codable { case cancel }

  /// The payment that the bank is asked about.
  package let payment: String
  /// The last four digits of the card.
  package let cardEnding: String
}

/// The verdict of a card's bank on a payment, after it has asked the card's owner: 3-D Secure.
package struct BankVerdict: Sendable, Codable {
  /// The banks' verdicts.
  package static let signal = Signal<BankVerdict>("bank.verdict")

  /// The payment that the verdict is about. It may come after the customer has tried another card.
  package let payment: String
  package let isApproved: Bool

  package init(payment: String, isApproved: Bool = true) {
    (self.payment, self.isApproved) = (payment, isApproved)
  }
}
