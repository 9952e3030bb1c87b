package import ActorFlow

/// Asks for a card and charges it. A declined card is no failure: the step asks again and says why.
package actor PaymentStep: FlowStep {
  private let shop: Shop

  /// A step that takes money for this shop.
  package init(_ shop: Shop) {
    self.shop = shop
  }

  /// Asks until a card was charged.
  package func proceed(_ order: Order, context: StepContext) async throws -> PaidOrder {
    var attempt = 1
    var refusal: String?
    while true {
      let card = try await context.ask(PaymentForm(order: order, today: shop.today, refusal: refusal))
      let outcome = try await context.once(Self.record(attempt)) { [gateway = shop.gateway] key in
        try await gateway.charge(order.total, to: card, idempotencyKey: key)
      }
      switch outcome {
      case .approved(let payment): return PaidOrder(order: order, payment: payment)
      case .declined(let sentence): refusal = sentence
      }
      attempt += 1
    }
  }

  /// Refunds what was charged; voids a charge whose outcome never arrived. The gateway does either once, however often
  /// it is asked.
  package func backUp(context: RollbackContext) async {
    for attempt in 1... {
      switch await context.record(Self.record(attempt), as: ChargeOutcome.self) {
      case .none: return
      case .done(.declined): break
      case .done(.approved(let payment)):
        let amount = await shop.gateway.refund(payment)
        await shop.undone.note("refunded \(amount) to the card ending in \(payment.cardEnding)")
      case .interrupted(let key):
        let amount = await shop.gateway.void(idempotencyKey: key)
        await shop.undone.note("voided the payment whose outcome was not known: \(amount) given back")
      }
    }
  }

  private static func record(_ attempt: Int) -> String { "charge-\(attempt)" }
}
