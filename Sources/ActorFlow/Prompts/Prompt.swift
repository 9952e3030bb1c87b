/// What a step shows to somebody outside, and what it asks for.
///
/// A prompt is a value: it travels in events and positions to whoever shows it. The type of the answer is part of it,
/// so an answer of another type is refused with ``FlowError/Code/wrongAnswerType``.
///
/// ```swift
/// struct AddressForm: Prompt {
///   typealias Answer = Address
///   let cart: Cart
/// }
/// ```
public protocol Prompt<Answer>: Sendable {
  /// What the step gets back.
  associatedtype Answer: Sendable

  /// Decides whether `principal` may answer; throws if not. The default lets everybody, also nobody in particular.
  ///
  /// A thrown error reaches the answerer; the question stays open. Called before ``validate(_:)``, in the answerer's
  /// task. It may be `async` or not; but its parameter is an optional ``Principal``, or the default stands.
  func authorize(_ principal: Principal?) async throws

  /// Checks an answer; throws if it will not do. The default accepts every answer.
  ///
  /// Runs in the answerer's task, and is cancelled with it. A thrown error reaches the answerer; the question stays
  /// open. It is called again if the prompt was updated in the meantime, so it should have no effects.
  func validate(_ answer: Answer) async throws
}

extension Prompt {
  // Not async, because in an async function the compiler would prefer them to a conforming type's own that are not.

  /// Lets everybody answer.
  public func authorize(_ principal: Principal?) throws {}

  /// Accepts every answer.
  public func validate(_ answer: Answer) throws {}
}
