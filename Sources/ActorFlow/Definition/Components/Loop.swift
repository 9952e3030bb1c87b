/// Walks its body repeatedly until the body's last step returns that it is done.
///
/// ```swift
/// let shopping = Loop {
///   Step("item", ItemStep.init)
///   Step("more") { (cart: Cart) in
///     cart.isComplete ? Again<Cart, Order>.done(Order(cart: cart)) : .again(cart)
///   }
/// }
/// ```
///
/// In each round the body's steps are new places on the stack, with new instances and the same paths, so a back leads
/// into the round before. A loop whose body has no step can be left only between two rounds.
public struct Loop<Input: Sendable, Output: Sendable>: FlowComponent {
  /// The loop as a flow.
  public let flow: Flow<Input, Output>

  /// Creates a loop around the components in `body`, one after the other.
  @inlinable
  public init(@FlowBuilder _ body: () -> some FlowComponent<Input, Again<Input, Output>>) {
    let repetition = Repetition(body: body().flow.segments) { value in
      switch try StepBody.cast(value, to: Again<Input, Output>.self) {
      case .again(let next): .again(next)
      case .done(let output): .done(output)
      }
    }
    flow = Flow(segments: [.loop(repetition)])
  }

  /// A mistake that does not compile: a body that never says that it is done.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: """
      the last component of a Loop's body must return an Again: '.again' with an input for the first component, or \
      '.done' with the output
      """
  )
  public init(@FlowBuilder _ body: () -> some FlowComponent<Input, Output>) {
    flow = Flow(segments: [])
  }
}

/// The output of a ``Loop``'s body: another round, or the end.
public enum Again<Input: Sendable, Output: Sendable>: Sendable {
  /// Walk the body again with this input.
  case again(Input)
  /// End the loop with this output.
  case done(Output)
}

extension Again: Equatable where Input: Equatable, Output: Equatable {}
extension Again: Hashable where Input: Hashable, Output: Hashable {}
extension Again: Codable where Input: Codable, Output: Codable {}
