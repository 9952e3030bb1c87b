/// A value that a step shows, with the type of the answer it asks for.
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
///
/// The defaults of ``authorize(_:)`` and ``validate(_:)`` let every caller answer and take every answer, so a guard that
/// is misspelt would guard nothing. Most near misses do not compile, see ``PromptGuards``: a parameter of another type, a
/// result, a label, `authorise`. Any other name compiles, and so does a guard that is `static`, generic or a property.
/// Prove each guard in a test, with `expectRefusal` of the module `ActorFlowTesting`.
public protocol Prompt<Answer>: PromptGuards {
  /// The type of the value that `ask` returns.
  associatedtype Answer: Sendable

  /// Decides whether `principal` may answer; throws if not. The default admits every answerer, also an anonymous one.
  ///
  /// A thrown error reaches the answerer; the question stays open. Called before ``validate(_:)``, in the answerer's
  /// task. It may be `async` or not.
  ///
  /// Written with a parameter of type ``Principal`` instead of an optional one, it is called for known principals only:
  /// an answer without a principal is refused with ``FlowError/Code/principalNeeded``.
  func authorize(_ principal: Principal?) async throws

  /// Checks an answer; throws if it will not do. The default accepts every answer.
  ///
  /// Runs in the answerer's task, and is cancelled with it. A thrown error reaches the answerer; the question stays
  /// open. It is called again if the prompt was updated in the meantime, so it should have no effects.
  func validate(_ answer: Answer) async throws
}

// The defaults are not async, because in an async function the compiler would prefer them to a conforming type's own
// that are not. Their constraints make them fit only where no near miss stands, see `PromptGuards`.

extension Prompt
where GuardedPrincipal == Principal?, AuthorizeResult == Void, LabelledPrincipal == Never, MisspeltPrincipal == Never {
  /// Lets everybody answer.
  public func authorize(_ principal: Principal?) throws {}
}

extension Prompt where GuardedAnswer == Answer, ValidateResult == Void, LabelledAnswer == Never {
  /// Accepts every answer.
  public func validate(_ answer: Answer) throws {}
}

extension Prompt where GuardedPrincipal == Principal, AuthorizeResult == Void {
  /// Refuses an anonymous answerer, and asks the prompt's own `authorize(_:)` about a known one.
  ///
  /// - Throws: ``FlowError/Code/principalNeeded`` without a principal; what the prompt's own throws.
  public func authorize(_ principal: Principal?) async throws {
    guard let principal else {
      throw FlowError(
        .principalNeeded,
        "\(Self.self) takes answers of known principals only: pass `by:`, or let its authorize take a `Principal?`")
    }
    try await authorize(principal)
  }
}
