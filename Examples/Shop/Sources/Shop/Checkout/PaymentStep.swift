import ActorFlow

/// Shows the way to the bank, where the customer confirms the payment; here it can be cancelled.
struct BankForm: Prompt, Codable {
  typealias Answer = Cancellation
  /// The bank's page for this payment.
  let page: String
  /// The amount, in cents.
  let total: Int
}

/// The answer that cancels a payment.
enum Cancellation: String, Codable, Sendable, CaseIterable {
  case cancel
}

/// Opens a payment at the bank, and waits for the bank's word: 3-D Secure, whose result comes as a webhook.
///
/// A rollback voids the payment, or refunds it.
actor PaymentStep: FlowStep {
  /// The bank's word about a payment.
  static let result = Signal<BankNotice>("payment")

  private let bank: FakeBank

  init(_ bank: FakeBank) { self.bank = bank }

  func proceed(_ checked: CheckedOrder, context: StepContext) async throws -> CheckedOrder {
    let total = checked.order.total
    let payment = try await context.once("open") { [bank, flow = context.flow] key in
      try await bank.open(total, for: flow.description, key: key)
    }
    // The bank's word about an earlier payment of this order stays where it is.
    let first = try await context.first(
      of: BankForm(page: payment.page, total: total), or: Self.result, matching: { $0.payment == payment.id })
    switch first {
    case .received(let notice) where notice.isPaid: return checked
    case .received: try await context.abandon("the bank has refused the payment")
    case .answered: try await context.backUp()
    }
  }

  func backUp(context: RollbackContext) async throws {
    switch await context.record("open", as: OpenPayment.self) {
    case .none: break
    case .done(let payment): try await bank.void(payment.id)
    case .interrupted(let key): try await bank.void(key: key)
    }
  }
}
