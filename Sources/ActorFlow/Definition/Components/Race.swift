/// Runs its branches at the same time and takes the first result.
///
/// ```swift
/// let quote = Race {
///   Step("nearby") { QuoteStep(provider: nearby) }
///   Step("abroad") { QuoteStep(provider: abroad) }
/// }
/// ```
///
/// Every branch gets what the component got, and has a stack of its own. When one has ended the others are
/// cancelled, awaited and rolled back, newest first; only then the winner's result goes on. A branch that fails before
/// another one has won fails the race, in the same way: give it a ``FlowComponent/recover(_:)`` if it may.
public struct Race<Input: Sendable, Output: Sendable>: FlowComponent {
  /// The branches as a flow.
  public let flow: Flow<Input, Output>

  /// Branches that all make the same. Without any, as a `for` over nothing leaves it, the race fails with
  /// ``FlowError/Code/noMatchingCase``.
  public init(@RaceBuilder _ branches: () -> [Flow<Input, Output>]) {
    let branches = branches().map { Fork.Branch(name: nil, segments: $0.segments) }
    let goal = Fork.Goal.until {
      { first, open in
        if let first { return first }
        guard open > 0 else { throw FlowError(.noMatchingCase, "a race without a branch has no winner") }
        return nil
      }
    }
    flow = Flow(segments: [.fork(Fork(kind: "race", branches: .fixed(branches), goal: goal))])
  }
}

/// Puts the branches of a ``Race`` beside each other.
@resultBuilder
public enum RaceBuilder: Sendable {
  /// A component as a branch.
  public static func buildExpression<I, O>(_ component: some FlowComponent<I, O>) -> [Flow<I, O>] {
    [component.flow]
  }

  /// No branch: says that there must be one.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a Race has at least one branch")
  public static func buildBlock() -> [Flow<Void, Void>] {
    []
  }

  /// The first branch.
  public static func buildPartialBlock<I, O>(first: [Flow<I, O>]) -> [Flow<I, O>] {
    first
  }

  /// A branch that takes and makes what the ones before it do.
  public static func buildPartialBlock<I, O>(accumulated: [Flow<I, O>], next: [Flow<I, O>]) -> [Flow<I, O>] {
    accumulated + next
  }

  /// `if`: a branch may be left out.
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

  /// `for`: a branch for each.
  public static func buildArray<I, O>(_ branches: [[Flow<I, O>]]) -> [Flow<I, O>] {
    branches.flatMap(\.self)
  }

  /// `if #available`.
  public static func buildLimitedAvailability<I, O>(_ branches: [Flow<I, O>]) -> [Flow<I, O>] {
    branches
  }
}
