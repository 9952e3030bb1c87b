/// A value that a step shows, with the type of the answer it asks for.
///
/// A prompt travels in events and positions to the code that shows it. The type of the answer is part of the prompt, so
/// an answer of another type is refused with ``FlowError/Code/wrongAnswerType``.
///
/// ```swift
/// struct AddressForm: Prompt {
///   typealias Answer = Address
///   let cart: Cart
/// }
/// ```
///
/// An answer passes three guards: ``authorize(_:)`` sees who answers, ``validate(_:)`` sees the answer, and
/// ``authorize(_:answering:)`` sees both. Each may throw a ``Refusal``, or any other error.
///
/// The defaults of the guards let every caller answer and accept every answer, so a misspelt guard would guard nothing.
/// Most near misses do not compile, see ``PromptGuards``: a parameter of another type, a result, a label, `authorise`. Any other name compiles, and so does a guard that is `static`, generic or a
/// property. Prove each guard in a test, with `expectRefusal` of the module `ActorFlowTesting`.
public protocol Prompt<Answer>: PromptGuards {
  /// The type of the value that `ask` returns.
  associatedtype Answer: Sendable

  /// The name of the prompt in stored flows: a question of a hosted flow that has no key of its own is found under it
  /// when its step runs again. The default is the qualified name of the type, as in `Shop.AddressForm`.
  ///
  /// Give it a constant value before the type is renamed or moved to another module, while flows that ask it are
  /// stored: `static let promptName = "Shop.AddressForm"`. A private or local type, or a generic type over one, has
  /// another name in each process. A step of a hosted flow can ask such a prompt only with a `promptName` or a key;
  /// otherwise `ask` throws ``FlowError/Code/notStorable``.
  static var promptName: String { get }

  /// Whether the history of a hosted flow has the answers to this prompt. False by default: then the history says that
  /// the question was answered, when and by whom, and the answer is gone with the flow's state.
  ///
  /// Set it where an auditor has to see the decision itself: `static let isAudited = true`. A host stores the answer with
  /// the `answered` entry, through its codec if it has one. A flow in memory has no history.
  static var isAudited: Bool { get }

  /// Decides whether `principal` may answer; throws if not. The default admits every answerer, including an anonymous
  /// one.
  ///
  /// The answerer receives the thrown error, and the question stays open. Called before ``validate(_:)``, in the
  /// answerer's task. It may be `async` or not.
  ///
  /// With a parameter of type ``Principal`` instead of an optional, it is called for known principals only: an answer
  /// without a principal is refused with ``FlowError/Code/principalNeeded``.
  func authorize(_ principal: Principal?) async throws

  /// Checks an answer; throws if it is not acceptable. The default accepts every answer.
  ///
  /// Runs in the answerer's task, and is cancelled with it. The answerer receives the thrown error, and the question
  /// stays open. It is called again if the prompt was updated in the meantime, so it should have no side effects.
  func validate(_ answer: Answer) async throws

  /// Decides whether `principal` may give this answer; throws if not. The default admits every answerer with every
  /// answer.
  ///
  /// Called last, after ``authorize(_:)`` and ``validate(_:)``, so the answer is valid. In all else it is as
  /// ``validate(_:)``: it runs in the answerer's task, may be called again, and the answerer receives the thrown error.
  ///
  /// ```swift
  /// struct SecondApproval: Prompt {
  ///   typealias Answer = Decision
  ///   let first: Principal?
  ///
  ///   func authorize(_ principal: Principal, answering decision: Decision) throws {
  ///     guard principal.id != first?.id || !decision.isApproved else {
  ///       throw Refusal.notAllowed("a second manager has to approve")
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// With a parameter of type ``Principal`` instead of an optional, it is called for known principals only: an answer
  /// without a principal is refused with ``FlowError/Code/principalNeeded``.
  func authorize(_ principal: Principal?, answering answer: Answer) async throws
}

extension Prompt {
  /// The name of the type with those of its module and of the types around it, as in `Shop.Checkout.AddressForm`.
  public static var promptName: String { TypeName(of: Self.self).qualified }

  /// False: answers are not part of the history.
  public static var isAudited: Bool { false }
}

// The defaults are not async: in an async function the compiler would prefer an async default to a conforming type's
// own synchronous function. Their constraints make them match only if the type has no near miss, see `PromptGuards`.

extension Prompt
where GuardedPrincipal == Principal?, AuthorizeResult == Void, LabelledPrincipal == Never, MisspeltPrincipal == Never {
  /// Lets every answerer answer.
  public func authorize(_ principal: Principal?) throws {}
}

extension Prompt where GuardedAnswer == Answer, ValidateResult == Void, LabelledAnswer == Never {
  /// Accepts every answer.
  public func validate(_ answer: Answer) throws {}
}

extension Prompt
where
  AnsweringPrincipal == Principal?, AuthorizedAnswer == Answer, AnsweringResult == Void,
  LabelledAnsweringPrincipal == Never, MisspeltAnsweringPrincipal == Never, MislabelledPrincipal == Never
{
  /// Lets every answerer give every answer.
  public func authorize(_ principal: Principal?, answering answer: Answer) throws {}
}

extension Prompt where GuardedPrincipal == Principal, AuthorizeResult == Void {
  /// Refuses an anonymous answerer, and calls the prompt's own `authorize(_:)` for a known one.
  ///
  /// - Throws: ``FlowError/Code/principalNeeded`` without a principal; the error of the prompt's own `authorize(_:)`.
  public func authorize(_ principal: Principal?) async throws {
    guard let principal else { throw FlowError.principalNeeded(by: Self.self) }
    try await authorize(principal)
  }
}

extension Prompt where AnsweringPrincipal == Principal, AuthorizedAnswer == Answer, AnsweringResult == Void {
  /// Refuses an anonymous answerer, and calls the prompt's own `authorize(_:answering:)` for a known one.
  ///
  /// - Throws: ``FlowError/Code/principalNeeded`` without a principal; the error of the prompt's own
  ///   `authorize(_:answering:)`.
  public func authorize(_ principal: Principal?, answering answer: Answer) async throws {
    guard let principal else { throw FlowError.principalNeeded(by: Self.self) }
    try await authorize(principal, answering: answer)
  }
}

extension FlowError {
  fileprivate static func principalNeeded(by prompt: Any.Type) -> FlowError {
    FlowError(
      .principalNeeded,
      "\(prompt) takes answers from known principals only: pass `by:`, or let its `authorize` take a `Principal?`")
  }
}
