import ActorFlow

/// A payment, by the bank or by hand.
package struct Payment: Sendable, Codable, Equatable {
  /// The number of the transfer, or a word about a payment by hand.
  package let reference: String

  package init(reference: String) {
    self.reference = reference
  }
}

/// Transfers money.
package protocol Bank: Sendable {
  /// Transfers an amount. A transfer with the key of an earlier one is not made twice.
  func transfer(_ amount: Amount, to name: String, key: String) async throws -> Payment
  /// Returns the transfer with this key, if the bank has made one.
  func payment(key: String) async throws -> Payment?
  /// Takes a transfer back. One that was taken back before is not taken back twice.
  func takeBack(_ payment: Payment) async throws
}

/// Pays an expense. If the bank is away, the flow is suspended: an operator retries the step, or completes it by hand.
actor PaymentStep: FlowStep {
  private let bank: any Bank

  init(_ bank: any Bank) {
    self.bank = bank
  }

  func proceed(_ tally: Tally, context: StepContext) async throws -> Payment {
    let claim = tally.claim
    return try await context.once("transfer") { [bank] key in
      try await bank.transfer(claim.amount, to: claim.submitter, key: key)
    }
  }

  func backUp(context: RollbackContext) async throws {
    switch await context.record("transfer", as: Payment.self) {
    case .none: break
    case .done(let payment): try await bank.takeBack(payment)
    case .interrupted(let key):
      if let payment = try await bank.payment(key: key) { try await bank.takeBack(payment) }
    }
  }
}
