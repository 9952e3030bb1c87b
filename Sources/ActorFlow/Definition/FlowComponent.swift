/// A piece of a flow: a ``Step``, a ``Flow``, or a component of your own.
///
/// A component of your own says what it consists of:
///
/// ```swift
/// struct Delivery: FlowComponent {
///   @FlowBuilder var flow: Flow<Cart, Shipment> {
///     Step("shipping", ShippingStep.init)
///     Step("carrier", CarrierStep.init)
///   }
/// }
/// ```
public protocol FlowComponent<Input, Output>: Sendable {
  /// What the first step takes.
  associatedtype Input: Sendable
  /// What the last step makes.
  associatedtype Output: Sendable

  /// The component as a flow. Runs no factory and no step.
  var flow: Flow<Input, Output> { get }  // no @FlowBuilder here: inherited by `Flow`, it would make `{ self }` recurse
}
