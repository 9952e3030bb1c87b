/// The guards of a ``Prompt`` in the form in which they were written: the compile-time check for near misses.
///
/// A conforming type writes nothing of it. The compiler infers the associated types from the type's own functions, and
/// the defaults of ``Prompt/authorize(_:)`` and ``Prompt/validate(_:)`` fit only if nothing was found that looks like a
/// guard and is none. A prompt with such a function does not compile, and the compiler names the function that it has
/// and the one that `Prompt` requires.
public protocol PromptGuards: Sendable {
  /// The parameter's type of the `authorize(_:)` that the type has: `Principal?`, or `Principal`.
  associatedtype GuardedPrincipal: Sendable
  /// The result of that function: `Void`.
  associatedtype AuthorizeResult
  /// The parameter's type of the `validate(_:)` that the type has: the prompt's `Answer`.
  associatedtype GuardedAnswer: Sendable
  /// The result of that function: `Void`.
  associatedtype ValidateResult
  /// The parameter's type of an `authorize(principal:)`; `Never` if there is none.
  associatedtype LabelledPrincipal: Sendable
  /// The parameter's type of an `authorise(_:)`; `Never` if there is none.
  associatedtype MisspeltPrincipal: Sendable
  /// The parameter's type of a `validate(answer:)`; `Never` if there is none.
  associatedtype LabelledAnswer: Sendable

  /// The type's `authorize(_:)`, whatever it takes and returns.
  func authorize(_ principal: GuardedPrincipal) async throws -> AuthorizeResult
  /// The type's `validate(_:)`, whatever it takes and returns.
  func validate(_ answer: GuardedAnswer) async throws -> ValidateResult
  /// A near miss of `authorize(_:)`, by its label. Nothing calls it.
  func authorize(principal: LabelledPrincipal) async throws
  /// A near miss of `authorize(_:)`, by its spelling. Nothing calls it.
  func authorise(_ principal: MisspeltPrincipal) async throws
  /// A near miss of `validate(_:)`, by its label. Nothing calls it.
  func validate(answer: LabelledAnswer) async throws
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
}
