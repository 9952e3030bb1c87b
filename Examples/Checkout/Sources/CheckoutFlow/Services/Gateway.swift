/// Money that was taken. Its id is the idempotency key it was asked for with.
package struct Payment: Hashable, Sendable, Codable, Identifiable {
  package let id: String
  package let amount: Money
  /// The last four digits of the card.
  package let cardEnding: String
}

/// What a gateway says when it is asked for money.
package enum ChargeOutcome: Sendable, Codable, Equatable {
  case approved(Payment)
  /// No money was taken; the sentence says why.
  case declined(String)
}

/// A payment gateway, simulated: it takes no money, keeps the books of a real one, and declines as ``GatewayRules`` say.
package actor Gateway {
  /// What the gateway writes down.
  package struct Page: Codable, Sendable {
    var outcomes: [String: ChargeOutcome] = [:]
    var taken: [Payment.ID: Money] = [:]
  }

  private let rules: GatewayRules
  private var book: Book<Page>

  /// A gateway with its rules, and what it has done until now.
  package init(rules: GatewayRules = .standard, book: Book<Page> = Book(Page())) {
    self.rules = rules
    self.book = book
  }

  /// What was taken and not given back.
  package var balance: Money { book.page.taken.values.reduce(.zero, +) }

  /// Takes money. Asked twice with one key it takes it once, and says what it said the first time.
  ///
  /// - Throws: ``Refusal`` if the line breaks off before the answer: then only the gateway knows whether it took money. Also
  ///   if it cannot be written down, as everything here that moves money: then it was not moved.
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
      throw Refusal("the payment gateway did not answer")
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

  /// Gives a payment back. Returns what was given back: nothing the second time.
  @discardableResult
  package func refund(_ payment: Payment) throws -> Money {
    try book.write { $0.taken.removeValue(forKey: payment.id) ?? .zero }
  }

  /// Undoes whatever was asked for with this key, and refuses it from now on. Returns what was given back: nothing if no
  /// money had been taken.
  @discardableResult
  package func void(idempotencyKey: String) throws -> Money {
    try book.write { page in
      page.outcomes[idempotencyKey] = .declined("this payment was voided")
      return page.taken.removeValue(forKey: idempotencyKey) ?? .zero
    }
  }
}
