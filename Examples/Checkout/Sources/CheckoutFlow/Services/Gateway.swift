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
  private let rules: GatewayRules
  private var outcomes: [String: ChargeOutcome] = [:]
  private var taken: [Payment.ID: Money] = [:]

  /// A gateway with its rules.
  package init(rules: GatewayRules = .standard) {
    self.rules = rules
  }

  /// What was taken and not given back.
  package var balance: Money { taken.values.reduce(.zero, +) }

  /// Takes money. Asked twice with one key it takes it once, and says what it said the first time.
  ///
  /// - Throws: ``Refusal`` if the line breaks off before the answer: then only the gateway knows whether it took money.
  package func charge(_ amount: Money, to card: Card, idempotencyKey: String) throws -> ChargeOutcome {
    if let known = outcomes[idempotencyKey] { return known }
    switch rules.verdict(on: amount, card: card) {
    case .decline(let sentence):
      outcomes[idempotencyKey] = .declined(sentence)
      return .declined(sentence)
    case .approve:
      return take(amount, card, idempotencyKey)
    case .breakOff:
      _ = take(amount, card, idempotencyKey)
      throw Refusal("the payment gateway did not answer")
    }
  }

  private func take(_ amount: Money, _ card: Card, _ key: String) -> ChargeOutcome {
    let outcome = ChargeOutcome.approved(Payment(id: key, amount: amount, cardEnding: card.ending))
    outcomes[key] = outcome
    taken[key] = amount
    return outcome
  }

  /// Gives a payment back. Returns what was given back: nothing the second time.
  @discardableResult
  package func refund(_ payment: Payment) -> Money {
    taken.removeValue(forKey: payment.id) ?? .zero
  }

  /// Undoes whatever was asked for with this key, and refuses it from now on. Returns what was given back: nothing if no
  /// money had been taken.
  @discardableResult
  package func void(idempotencyKey: String) -> Money {
    outcomes[idempotencyKey] = .declined("this payment was voided")
    return taken.removeValue(forKey: idempotencyKey) ?? .zero
  }
}
