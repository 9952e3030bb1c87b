/// A payment. Its id is the idempotency key it was requested with.
package struct Payment: Hashable, Sendable, Codable, Identifiable {
  package let id: String
  package let amount: Money
  /// The last four digits of the card.
  package let cardEnding: String
}

/// A gateway's reply to a charge.
package enum ChargeOutcome: Sendable, Codable, Equatable {
  case approved(Payment)
  /// No money was taken; the sentence gives the reason.
  case declined(String)
}

/// A payment gateway, simulated: it moves no money, has the records of a real one, and declines by ``GatewayRules``.
package actor Gateway {
  /// The gateway's records.
  package struct Page: Codable, Sendable {
    var outcomes: [String: ChargeOutcome] = [:]
    var taken: [Payment.ID: Money] = [:]
  }

  package nonisolated let rules: GatewayRules
  private var book: Book<Page>

  /// A gateway with its rules, and its records so far.
  package init(rules: GatewayRules = .standard, book: Book<Page> = Book(Page())) {
    self.rules = rules
    self.book = book
  }

  /// The payments that were not refunded.
  package var balance: Money { book.page.taken.values.reduce(.zero, +) }

  /// Takes money. Asked twice with one key it takes it once, and repeats its first reply.
  ///
  /// - Throws: ``Problem`` if the connection fails before the reply: then only the gateway knows whether it took money.
  /// Also if a movement of money cannot be recorded: then it was not made.
  package func charge(_ amount: Money, to card: Card, idempotencyKey: String) throws -> ChargeOutcome {
    if let known = book.page.outcomes[idempotencyKey] { return known }
    switch rules.verdict(on: amount, card: card) {
    case .decline(let sentence):
      try book.write { $0.outcomes[idempotencyKey] = .declined(sentence) }
      return .declined(sentence)
    case .approve:
      return try take(amount, card, idempotencyKey)
    case .breakOff:
      _ = try take(amount, card, idempotencyKey)
      throw Problem("the payment gateway did not answer")
    }
  }

  private func take(_ amount: Money, _ card: Card, _ key: String) throws -> ChargeOutcome {
    let outcome = ChargeOutcome.approved(Payment(id: key, amount: amount, cardEnding: card.ending))
    try book.write { page in
      page.outcomes[key] = outcome
      page.taken[key] = amount
    }
    return outcome
  }

  /// Refunds a payment. Returns the refunded amount: nothing the second time.
  @discardableResult
  package func refund(_ payment: Payment) throws -> Money {
    try book.write { $0.taken.removeValue(forKey: payment.id) ?? .zero }
  }

  /// Voids the charge with this key, and refuses the key from now on. Returns the refunded amount: nothing if no money
  /// had been taken.
  @discardableResult
  package func void(idempotencyKey: String) throws -> Money {
    try book.write { page in
      page.outcomes[idempotencyKey] = .declined("this payment was voided")
      return page.taken.removeValue(forKey: idempotencyKey) ?? .zero
    }
  }
}
