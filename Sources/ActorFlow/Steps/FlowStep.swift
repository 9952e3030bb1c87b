/// A step of a flow: an actor that takes an input, does its work, and returns an output.
///
/// A step knows neither its neighbours nor its flow. Returning from ``proceed(_:context:)`` is proceeding: the next
/// step gets the output as its input. A step may suspend as long as it likes, for example in
/// ``StepContext/ask(_:key:)``.
///
/// ```swift
/// actor ShippingStep: FlowStep {
///   func proceed(_ cart: Cart, context: StepContext) async throws -> Order {
///     let address = try await context.ask(AddressForm(cart: cart))
///     return Order(cart: cart, address: address)
///   }
///   func backUp(context: RollbackContext) {}
/// }
/// ```
public protocol FlowStep<Input, Output>: Actor {
  /// The value that the step needs. `Void` for a step that may follow any other.
  associatedtype Input: Sendable = Void
  /// The value that the step makes.
  associatedtype Output: Sendable = Void

  /// Does the step's work.
  ///
  /// Runs in the flow's task, on this actor. When the step is left (by a back, by abandonment, or because the caller
  /// was cancelled), that task is cancelled and awaited: let `CancellationError` through. A value or error that comes
  /// after that is ignored. An error thrown otherwise fails the flow and reaches the caller of
  /// ``FlowCoordinator/run(_:with:by:)`` as itself.
  ///
  /// After a back that lands on the step, it is called again on the same instance with the same input.
  func proceed(_ input: Input, context: StepContext) async throws -> Output

  /// Compensates the effects of ``proceed(_:context:)`` on the outside world.
  ///
  /// Called once for every time the step was entered and is then left backwards: when the flow backs up to or over the
  /// step, is abandoned, cancelled, or fails, even if this step's own `proceed` threw. Runs in a task that is not
  /// cancelled, newest step first. A thrown error does not stop the rollback of earlier steps; it is reported in the
  /// event and to the caller that requested the move. Read what the compensation needs from
  /// ``RollbackContext/record(_:as:)``, not from actor state.
  ///
  /// There is no default: a typo in a refund must not compile.
  func backUp(context: RollbackContext) async throws
}
