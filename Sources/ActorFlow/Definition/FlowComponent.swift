/// A piece of a flow: a ``Step``, a ``Flow``, or a component of your own.
///
/// Define a component of your own by the components it consists of:
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
  /// The input of the first step.
  associatedtype Input: Sendable
  /// The output of the last step.
  associatedtype Output: Sendable

  /// The component as a flow. Reading it runs no factory and no step.
  var flow: Flow<Input, Output> { get }  // no @FlowBuilder: `Flow` would inherit it, and its `{ self }` would recurse
}
