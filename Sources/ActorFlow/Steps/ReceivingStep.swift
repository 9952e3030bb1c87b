/// A step that takes updates while it stands on the stack: from a later step, without the flow moving, or by a back that
/// unwinds to it and delivers.
///
/// ```swift
/// actor BasketStep: ReceivingStep {
///   private var voucher: Voucher?
///
///   func receive(_ voucher: Voucher) { self.voucher = voucher }
///
///   func proceed(_ basket: Basket, context: StepContext) async throws -> Order {
///     try await context.ask(BasketForm(basket: basket, voucher: voucher))
///   }
///
///   func backUp(context: RollbackContext) {}
/// }
/// ```
public protocol ReceivingStep<Input, Output>: FlowStep {
  /// What the step takes.
  associatedtype Update: Sendable

  /// Takes an update. Runs in the sender's task, on this actor; what it throws is thrown to the sender.
  ///
  /// There is no default: a typo must not compile.
  func receive(_ update: Update) async throws
}
