/// A step that takes updates while it is on the stack. A later step sends an update without moving the flow, or backs
/// up to this step and delivers an update.
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
  /// The value that an update carries.
  associatedtype Update: Sendable

  /// Takes an update. Runs in the sender's task, on this actor; the sender receives any thrown error.
  ///
  /// There is no default: a typo must not compile.
  func receive(_ update: Update) async throws
}
