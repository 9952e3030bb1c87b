extension FlowComponent {
  /// Changes what the component makes before the next one gets it.
  ///
  /// `transform` runs in the flow's task after the component's last step, which still has the focus. An error it throws
  /// fails that step.
  @inlinable
  public func map<T: Sendable>(_ transform: @escaping @Sendable (Output) throws -> T) -> Flow<Input, T> {
    Flow(
      segments: flow.segments + [
        .transform { value in try transform(try StepBody.cast(value, to: Output.self)) }
      ])
  }

  /// Joins what the component received with what it made, so that the next one gets both.
  ///
  /// ```swift
  /// Step("address", AddressStep.init).carrying { cart, address in Order(cart: cart, address: address) }
  /// ```
  ///
  /// After a back into the component it carries what the component received then. `join` runs as the closure of
  /// ``map(_:)`` does.
  @inlinable
  public func carrying<T: Sendable>(_ join: @escaping @Sendable (Input, Output) throws -> T) -> Flow<Input, T> {
    Flow(
      segments: [.keep] + flow.segments + [
        .join { kept, value in
          try join(try StepBody.cast(kept, to: Input.self), try StepBody.cast(value, to: Output.self))
        }
      ])
  }
}
