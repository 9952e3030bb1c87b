/// A payment. Its id is the idempotency key it was requested with.
package struct Payment: Hashable, Sendable, Codable, Identifiable {
  package let id: String
  package let amount: Money
  /// The last four digits of the card.
  package let cardEnding: String
}

/// The error for a charge that the gateway declines: no money was taken.
///
/// `Codable`, so that a recorded failure still has it in the next process.
package struct Decline: Error, Sendable, Codable, Equatable, CustomStringConvertible {
  /// The reason, as a sentence without a full stop.
  package let reason: String
  /// The reason.
  package var description: String { reason }
}

/// A payment gateway, simulated: it moves no money, has the records of a real one, and declines by ``GatewayRules``.
package actor Gateway {
  /// The gateway's records.
  package struct Page: Codable, Sendable {
    var outcomes: [String: Outcome] = [:]
    var taken: [Payment.ID: Money] = [:]

    enum Outcome: Codable, Sendable, Equatable {
      case approved(Payment)
      case declined(Decline)
    }
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

  /// The number of declined charges.
  package var declines: Int {
    book.page.outcomes.values.count { if case .declined = $0 { true } else { false } }
  }

  /// Takes money. Asked twice with one key it takes it once, and repeats its first reply.
  ///
  /// - Throws: ``Decline`` if it takes none. ``Problem`` if the connection fails before the reply: then only the gateway knows whether it took money.
  /// Also if a movement of money cannot be recorded: then it was not made.
  package func charge(_ amount: Money, to card: Card, idempotencyKey: String) throws -> Payment {
    switch book.page.outcomes[idempotencyKey] {
    case .approved(let payment): return payment
    case .declined(let decline): throw decline
    case nil: break
    }
    switch rules.verdict(on: amount, card: card) {
    case .decline(let sentence):
      let decline = Decline(reason: sentence)
      try book.write { $0.outcomes[idempotencyKey] = .declined(decline) }
      throw decline
    case .approve:
      return try take(amount, card, idempotencyKey)
    case .breakOff:
      _ = try take(amount, card, idempotencyKey)
      throw Problem("the payment gateway did not answer")
    }
  }

  private func take(_ amount: Money, _ card: Card, _ key: String) throws -> Payment {
    let payment = Payment(id: key, amount: amount, cardEnding: card.ending)
    try book.write { page in
      page.outcomes[key] = .approved(payment)
      page.taken[key] = amount
    }
    return payment
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
      page.outcomes[idempotencyKey] = .declined(Decline(reason: "this payment was voided"))
      return page.taken.removeValue(forKey: idempotencyKey) ?? .zero
    }
  }
}
