package import ActorFlow

/// Asks for a card and charges it: three tries, then the bill returns with the declined cards.
///
/// Each answer may enter the step again, so each charge is an `attempt` with a key of its own. A declined card is
/// recorded: the replay sees the same decline, and never charges that card again.
package actor CardStep: FlowStep {
  /// The output of the step.
  package enum Payable: Sendable, Codable {
    case paid(PaidOrder)
    case unpaid(Bill)

    /// The bill that no card has paid.
    package var bill: Bill? { if case .unpaid(let bill) = self { bill } else { nil } }
    /// The order that a card has paid.
    package var order: PaidOrder? { if case .paid(let order) = self { order } else { nil } }
  }

  private let shop: Shop

  /// A step that takes money for this shop.
  package init(_ shop: Shop) {
    self.shop = shop
  }

  /// The tries, one card each.
  package func proceed(_ bill: Bill, context: StepContext) async throws -> Payable {
    var bill = bill
    while bill.tries < Bill.tryLimit {
      let number = bill.tries + 1
      let card = try await context.ask(PaymentForm(bill: bill, today: shop.today), key: "card-\(number)")
      if let sentence = try await refusal(of: card, number, context) {
        bill = bill.declined(card, sentence)
        continue
      }
      let charge = try await context.attempt(Self.record(number)) {
        [gateway = shop.gateway, total = bill.order.total] key in
        try await gateway.charge(total, to: card, idempotencyKey: key)
      }
      switch charge {
      case .made(let payment):
        return .paid(PaidOrder(order: bill.order, settlement: .card(payment)))
      case .failed(let error):
        // Another failure leaves it open whether money was taken: the order fails, and `backUp` voids the charge.
        guard let decline = error.detail(as: Decline.self) else { throw Problem(error.message) }
        bill = bill.declined(card, decline.reason)
      }
    }
    return .unpaid(bill)
  }

  /// Waits for the card's bank, if it wants to ask the card's owner; meanwhile the customer may cancel.
  ///
  /// - Returns: The reason why the card is not charged, if there is one.
  private func refusal(of card: Card, _ number: Int, _ context: StepContext) async throws -> String? {
    guard shop.gateway.rules.needsApproval(card) else { return nil }
    // An id that no other try has, also after a back: a late verdict about another try approves nothing.
    let payment = try await context.once("payment-\(number)") { key in key }
    let first = try await context.first(
      of: CancelPaymentForm(payment: payment, cardEnding: card.ending), key: "approval-\(number)",
      or: BankVerdict.signal, matching: { $0.payment == payment }, within: .seconds(600))
    switch first {
    case .received(let verdict): return verdict.isApproved ? nil : "your bank did not approve it"
    case .answered: return "you have cancelled it"
    case nil: return "your bank did not approve it in time"
    }
  }

  /// Refunds a charge; voids one whose outcome never arrived. The gateway does either once, however often it is asked.
  ///
  /// A declined card has the record of an unknown outcome, too: its void gives nothing back.
  package func backUp(context: RollbackContext) async throws {
    for number in (1...Bill.tryLimit).reversed() {
      switch await context.record(Self.record(number), as: Payment.self) {
      case .none: break
      case .done(let payment):
        let amount = try await shop.gateway.refund(payment)
        await shop.undone.note("refunded \(amount) to the card ending in \(payment.cardEnding)")
      case .interrupted(let key):
        let amount = try await shop.gateway.void(idempotencyKey: key)
        guard amount > .zero else { break }
        await shop.undone.note("voided the payment whose outcome was not known: \(amount) given back")
      }
    }
  }

  private static func record(_ number: Int) -> String { "charge-\(number)" }
}
