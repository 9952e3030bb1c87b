package import ActorFlow

/// Asks for a card and charges it. A declined card is no failure: the bill returns with the reason.
package actor CardStep: FlowStep {
  private let shop: Shop

  /// A step that takes money for this shop.
  package init(_ shop: Shop) {
    self.shop = shop
  }

  /// One try with one card.
  package func proceed(_ bill: Bill, context: StepContext) async throws -> Again<Bill, PaidOrder> {
    let card = try await context.ask(PaymentForm(bill: bill, today: shop.today))
    if let sentence = try await refusal(of: card, for: bill, context) { return .again(bill.declined(sentence)) }
    let outcome = try await context.once(Self.record) { [gateway = shop.gateway] key in
      try await gateway.charge(bill.order.total, to: card, idempotencyKey: key)
    }
    switch outcome {
    case .approved(let payment): return .done(PaidOrder(order: bill.order, settlement: .card(payment)))
    case .declined(let sentence): return .again(bill.declined(sentence))
    }
  }

  /// Waits for the card's bank, if it wants to ask the card's owner; meanwhile the customer may cancel.
  ///
  /// - Returns: The reason why the card is not charged, if there is one.
  private func refusal(of card: Card, for bill: Bill, _ context: StepContext) async throws -> String? {
    guard shop.gateway.rules.needsApproval(card) else { return nil }
    let payment = "\(context.flow)-\(bill.tries + 1)"
    let first = try await context.first(
      of: CancelPaymentForm(payment: payment, cardEnding: card.ending), or: BankVerdict.signal,
      matching: { $0.payment == payment }, within: .seconds(600))
    switch first {
    case .received(let verdict): return verdict.isApproved ? nil : "your bank did not approve it"
    case .answered: return "you have cancelled it"
    case nil: return "your bank did not approve it in time"
    }
  }

  /// Refunds a charge; voids one whose outcome never arrived. The gateway does either once, however often it is asked.
  package func backUp(context: RollbackContext) async throws {
    switch await context.record(Self.record, as: ChargeOutcome.self) {
    case .none, .done(.declined): break
    case .done(.approved(let payment)):
      let amount = try await shop.gateway.refund(payment)
      await shop.undone.note("refunded \(amount) to the card ending in \(payment.cardEnding)")
    case .interrupted(let key):
      let amount = try await shop.gateway.void(idempotencyKey: key)
      await shop.undone.note("voided the payment whose outcome was not known: \(amount) given back")
    }
  }

  private static let record = "charge"
}
