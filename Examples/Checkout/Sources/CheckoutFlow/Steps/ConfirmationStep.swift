package import ActorFlow

/// The payment provider's confirmation. It comes from outside and answers no question.
package struct Confirmation: Sendable, Codable {
  /// The provider's confirmations.
  package static let signal = Signal<Confirmation>("payment.confirmed")

  package init() {}
}

/// Waits until the provider confirms a card's payment. A later payment has nothing to wait for.
package actor ConfirmationStep: SkippableStep {
  private let patience: Duration

  /// A step that waits at most this long.
  package init(within patience: Duration) {
    self.patience = patience
  }

  /// Skips an order that no card has paid.
  package func skip(_ paid: PaidOrder, context: EntryContext) -> Skip<PaidOrder> {
    if case .card = paid.settlement { .enter } else { .with(paid) }
  }

  /// Throws if no confirmation comes in time; the flow then fails, and the payment is refunded.
  package func proceed(_ paid: PaidOrder, context: StepContext) async throws -> PaidOrder {
    guard try await context.wait(for: Confirmation.signal, within: patience) != nil else {
      throw Problem("the payment provider did not confirm the payment within \(patience.components.seconds) seconds")
    }
    return paid
  }

  /// There is nothing to compensate: the step that took the money refunds it.
  package func backUp(context: RollbackContext) {}
}
