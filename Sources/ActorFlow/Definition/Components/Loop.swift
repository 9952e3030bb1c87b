/// Walks its body again and again, until the body's last step says that it is done.
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
/// Each time around its steps are new places on the stack, with instances of their own and the same paths, so a back
/// leads into the time before. A body without a step is left between two rounds only.
public struct Loop<Input: Sendable, Output: Sendable>: FlowComponent {
  /// The loop as a flow.
  public let flow: Flow<Input, Output>

  /// A loop around the components in `body`, one after the other.
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
}

/// What the body of a ``Loop`` makes: another round, or the end.
public enum Again<Input: Sendable, Output: Sendable>: Sendable {
  /// The body is walked again, with this.
  case again(Input)
  /// The loop ends, and makes this.
  case done(Output)
}

extension Again: Equatable where Input: Equatable, Output: Equatable {}
extension Again: Hashable where Input: Hashable, Output: Hashable {}
extension Again: Codable where Input: Codable, Output: Codable {}
