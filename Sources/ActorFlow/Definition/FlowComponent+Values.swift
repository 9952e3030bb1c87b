extension FlowComponent {
  /// Transforms the output of the component before the next component gets it.
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

  /// Joins the input of the component with its output, so that the next component gets both.
  ///
  /// ```swift
  /// Step("address", AddressStep.init).carrying { cart, address in Order(cart: cart, address: address) }
  /// ```
  ///
  /// After a back into the component, `join` still gets the input with which the component was entered. `join` runs
  /// under the same rules as the closure of ``map(_:)``.
  @inlinable
  public func carrying<T: Sendable>(_ join: @escaping @Sendable (Input, Output) throws -> T) -> Flow<Input, T> {
    Flow(
      segments: [.carry] + flow.segments + [
        .join { carried, value in
          try join(try StepBody.cast(carried, to: Input.self), try StepBody.cast(value, to: Output.self))
        }
      ])
  }
}
