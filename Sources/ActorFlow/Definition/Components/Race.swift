/// Runs its branches at the same time and takes the first result.
///
/// ```swift
/// let quote = Race {
///   Step("nearby") { QuoteStep(provider: nearby) }
///   Step("abroad") { QuoteStep(provider: abroad) }
/// }
/// ```
///
/// Every branch gets the input of the component and has a stack of its own. When one has ended, the others are
/// cancelled, awaited and rolled back, newest first; only then is the winner's result passed on. A branch that fails
/// before another one has won fails the race in the same way. If a branch may fail, give it a
/// ``FlowComponent/recover(_:)``.
public struct Race<Input: Sendable, Output: Sendable>: FlowComponent {
  /// The branches as a flow.
  public let flow: Flow<Input, Output>

  /// Creates branches that all have the same output type.
  ///
  /// A race without branches, as a `for` over an empty sequence leaves it, fails with
  /// ``FlowError/Code/noDecision``.
  public init(@RaceBuilder _ branches: () -> some FlowComponent<Input, Output>) {
    flow = branches().flow
  }
}

/// A result builder that puts the branches of a ``Race`` beside each other.
@resultBuilder
public enum RaceBuilder: Sendable {
  /// All the branches.
  ///
  /// A component, because then the compiler reports a mistake in a branch without reporting the `Race` as well.
  public struct Branches<Input: Sendable, Output: Sendable>: FlowComponent {
    fileprivate let branches: [Flow<Input, Output>]

    /// The race as a flow.
    public var flow: Flow<Input, Output> {
      let goal = Fork.Goal.until {
        { first, open in
          if let first { return first }
          guard open > 0 else { throw FlowError(.noDecision, "a race without branches has no winner") }
          return nil
        }
      }
      let branches = branches.map { Fork.Branch(name: nil, segments: $0.segments) }
      return Flow(segments: [.fork(Fork(kind: "race", branches: .fixed(branches), goal: goal))])
    }
  }

  /// A component as a branch.
  public static func buildExpression<I, O>(_ component: some FlowComponent<I, O>) -> [Flow<I, O>] {
    [component.flow]
  }

  /// No branch: unavailable, because there must be at least one.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a Race needs at least one branch")
  public static func buildBlock() -> [Flow<Void, Void>] {
    []
  }

  /// The first branch.
  public static func buildPartialBlock<I, O>(first: [Flow<I, O>]) -> [Flow<I, O>] {
    first
  }

  /// A branch with the input and output types of the branches before it.
  public static func buildPartialBlock<I, O>(accumulated: [Flow<I, O>], next: [Flow<I, O>]) -> [Flow<I, O>] {
    accumulated + next
  }

  /// A branch inside `if`, which may be left out.
  public static func buildOptional<I, O>(_ branches: [Flow<I, O>]?) -> [Flow<I, O>] {
    branches ?? []
  }

  /// The first branch of an `if`/`else` or `switch`.
  public static func buildEither<I, O>(first branches: [Flow<I, O>]) -> [Flow<I, O>] {
    branches
  }

  /// The other branches of an `if`/`else` or `switch`.
  public static func buildEither<I, O>(second branches: [Flow<I, O>]) -> [Flow<I, O>] {
    branches
  }

  /// The branches of a `for`.
  public static func buildArray<I, O>(_ branches: [[Flow<I, O>]]) -> [Flow<I, O>] {
    branches.flatMap(\.self)
  }

  /// A branch inside `if #available`.
  public static func buildLimitedAvailability<I, O>(_ branches: [Flow<I, O>]) -> [Flow<I, O>] {
    branches
  }

  /// All the branches, with their common types.
  public static func buildFinalResult<I, O>(_ branches: [Flow<I, O>]) -> Branches<I, O> {
    Branches(branches: branches)
  }
}
