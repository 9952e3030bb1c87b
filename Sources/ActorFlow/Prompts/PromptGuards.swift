/// The guards of a ``Prompt`` as their author declared them: the compile-time check for near misses.
///
/// A conforming type declares none of these requirements. The compiler infers the associated types from the type's own
/// functions. The defaults of ``Prompt/authorize(_:)``, ``Prompt/validate(_:)`` and ``Prompt/authorize(_:answering:)``
/// match only if the type has no function that resembles a guard without being one. A prompt with such a function does not compile, and the compiler
/// names that function and the one that `Prompt` requires.
public protocol PromptGuards: Sendable {
  /// The parameter type of the type's `authorize(_:)`: `Principal?` or `Principal`.
  associatedtype GuardedPrincipal: Sendable
  /// The result type of that function: `Void`.
  associatedtype AuthorizeResult
  /// The parameter type of the type's `validate(_:)`: the prompt's `Answer`.
  associatedtype GuardedAnswer: Sendable
  /// The result type of that function: `Void`.
  associatedtype ValidateResult
  /// The type of the principal in the type's `authorize(_:answering:)`: `Principal?` or `Principal`.
  associatedtype AnsweringPrincipal: Sendable
  /// The type of the answer in that function: the prompt's `Answer`.
  associatedtype AuthorizedAnswer: Sendable
  /// The result type of that function: `Void`.
  associatedtype AnsweringResult
  /// The parameter type of an `authorize(principal:)`; `Never` if the type has none.
  associatedtype LabelledPrincipal: Sendable
  /// The parameter type of an `authorise(_:)`; `Never` if the type has none.
  associatedtype MisspeltPrincipal: Sendable
  /// The parameter type of a `validate(answer:)`; `Never` if the type has none.
  associatedtype LabelledAnswer: Sendable
  /// The type of the principal in an `authorize(principal:answering:)`; `Never` if the type has none.
  associatedtype LabelledAnsweringPrincipal: Sendable
  /// The type of the principal in an `authorise(_:answering:)`; `Never` if the type has none.
  associatedtype MisspeltAnsweringPrincipal: Sendable
  /// The type of the principal in an `authorize(_:answer:)`; `Never` if the type has none.
  associatedtype MislabelledPrincipal: Sendable
  /// The type of the answer in an `authorize(principal:answering:)`; `Never` if the type has none.
  associatedtype LabelledAuthorizedAnswer: Sendable
  /// The type of the answer in an `authorise(_:answering:)`; `Never` if the type has none.
  associatedtype MisspeltAuthorizedAnswer: Sendable
  /// The type of the answer in an `authorize(_:answer:)`; `Never` if the type has none.
  associatedtype MislabelledAnswer: Sendable

  /// The type's `authorize(_:)`, with any parameter and result.
  func authorize(_ principal: GuardedPrincipal) async throws -> AuthorizeResult
  /// The type's `validate(_:)`, with any parameter and result.
  func validate(_ answer: GuardedAnswer) async throws -> ValidateResult
  /// The type's `authorize(_:answering:)`, with any parameters and result.
  func authorize(_ principal: AnsweringPrincipal, answering answer: AuthorizedAnswer) async throws -> AnsweringResult
  /// A near miss of `authorize(_:)` by its label. No code calls it.
  func authorize(principal: LabelledPrincipal) async throws
  /// A near miss of `authorize(_:)` by its spelling. No code calls it.
  func authorise(_ principal: MisspeltPrincipal) async throws
  /// A near miss of `validate(_:)` by its label. No code calls it.
  func validate(answer: LabelledAnswer) async throws
  /// A near miss of `authorize(_:answering:)` by its first label. No code calls it.
  func authorize(principal: LabelledAnsweringPrincipal, answering answer: LabelledAuthorizedAnswer) async throws
  /// A near miss of `authorize(_:answering:)` by its spelling. No code calls it.
  func authorise(_ principal: MisspeltAnsweringPrincipal, answering answer: MisspeltAuthorizedAnswer) async throws
  /// A near miss of `authorize(_:answering:)` by its second label. No code calls it.
  func authorize(_ principal: MislabelledPrincipal, answer: MislabelledAnswer) async throws
}

extension Prompt {
  /// Stands for a near miss that the type does not have. It cannot be called.
  @_documentation(visibility: internal)
  public func authorize(principal: Never) {}
  /// Stands for a near miss that the type does not have. It cannot be called.
  @_documentation(visibility: internal)
  public func authorise(_ principal: Never) {}
  /// Stands for a near miss that the type does not have. It cannot be called.
  @_documentation(visibility: internal)
  public func validate(answer: Never) {}
  /// Stands for a near miss that the type does not have. It cannot be called.
  @_documentation(visibility: internal)
  public func authorize(principal: Never, answering answer: Never) {}
  /// Stands for a near miss that the type does not have. It cannot be called.
  @_documentation(visibility: internal)
  public func authorise(_ principal: Never, answering answer: Never) {}
  /// Stands for a near miss that the type does not have. It cannot be called.
  @_documentation(visibility: internal)
  public func authorize(_ principal: Never, answer: Never) {}
}
