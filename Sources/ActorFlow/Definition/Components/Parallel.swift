/// Runs its branches at the same time, each with a stack of its own, and ends when all have ended.
///
/// ```swift
/// let checks = Parallel {
///   Step("credit", CreditStep.init)
///   Step("identity", IdentityStep.init)
/// } join: { (credit: Credit, identity: Identity) in
///   Checks(credit: credit, identity: identity)
/// }
/// ```
///
/// Every branch gets the input of the component. Without `join` the output is a tuple in the order of the branches,
/// whichever ends first; with `join` it is what `join` returns. A branch that is one step or one named flow has the
/// name of that step or flow; any other branch is named by its number.
///
/// A branch that fails cancels the others: they are awaited and rolled back, then the component fails with that error.
/// A back past the first place of a branch leaves the whole component in the same way. A component without branches
/// ends at once.
public struct Parallel<Input: Sendable, Output: Sendable>: FlowComponent {
  /// The branches as a flow.
  public let flow: Flow<Input, Output>

  /// Creates branches whose results become a tuple.
  @inlinable
  public init(@ParallelBuilder _ branches: () -> some FlowComponent<Input, Output>) {
    flow = branches().flow
  }

  /// Creates branches whose results are combined by `join`.
  ///
  /// - Parameters:
  ///   - branches: The branches.
  ///   - join: Gets the results in the order of the branches. Runs once in the flow's task, when all branches have
  ///     ended. An error it throws fails the component.
  @inlinable
  public init<each Result: Sendable>(
    @ParallelBuilder _ branches: () -> ParallelBuilder.Branches<Input, repeat each Result>,
    join: @escaping @Sendable (repeat each Result) throws -> Output
  ) {
    flow = branches().joined(by: join)
  }
}

/// A result builder that puts the branches of a ``Parallel`` beside each other.
@resultBuilder
public enum ParallelBuilder: Sendable {
  /// The branches so far, with their output types.
  ///
  /// A component, because then the compiler reports a mistake in a branch without reporting the `Parallel` as well.
  public struct Branches<Input: Sendable, each Result: Sendable>: FlowComponent {
    /// The results in the order of the branches.
    public typealias Output = (repeat each Result)

    @usableFromInline let branches: [Fork.Branch]

    /// The branches as a flow, whose output is a tuple.
    @inlinable
    public var flow: Flow<Input, (repeat each Result)> {
      joined { (results: repeat each Result) in (repeat each results) }
    }
  }

  /// A component as a branch.
  public static func buildExpression<I, O>(_ component: some FlowComponent<I, O>) -> Flow<I, O> {
    component.flow
  }

  /// No branches; the input is `Void`.
  public static func buildBlock() -> Branches<Void> {
    Branches(branches: [])
  }

  /// The first branch.
  public static func buildPartialBlock<I, O>(first: Flow<I, O>) -> Branches<I, O> {
    Branches(branches: [Fork.Branch(name: nil, segments: first.segments)])
  }

  /// A branch with the input type of the branches before it.
  public static func buildPartialBlock<I, each O, N>(
    accumulated: Branches<I, repeat each O>, next: Flow<I, N>
  ) -> Branches<I, repeat each O, N> {
    Branches(branches: accumulated.branches + [Fork.Branch(name: nil, segments: next.segments)])
  }

  /// A branch with `Void` input, which may be beside any other.
  @_disfavoredOverload
  public static func buildPartialBlock<I, each O, N>(
    accumulated: Branches<I, repeat each O>, next: Flow<Void, N>
  ) -> Branches<I, repeat each O, N> {
    let segments: [Segment] = [.transform { _ in () }] + next.segments
    return Branches(branches: accumulated.branches + [Fork.Branch(name: nil, segments: segments)])
  }

  /// A branch that only lets its value through: unavailable, with the remedy as its message.
  @_documentation(visibility: internal) @_disfavoredOverload
  @available(
    *, unavailable, message: "a branch of a Parallel returns a result: leave out one that only passes a value on"
  )
  public static func buildPartialBlock<I, each O>(
    accumulated: Branches<I, repeat each O>, next: Flow<PassingThrough, PassingThrough>
  ) -> Branches<I, repeat each O, PassingThrough> {
    Branches(branches: accumulated.branches)
  }

  /// A branch inside `if #available`.
  public static func buildLimitedAvailability<I, O>(_ component: Flow<I, O>) -> Flow<I, O> {
    component
  }
}

extension ParallelBuilder.Branches {
  @inlinable
  func joined<Whole>(
    by join: @escaping @Sendable (repeat each Result) throws -> Whole
  ) -> Flow<Input, Whole> {
    let goal = Fork.Goal.all { results in
      var rest = results[...]
      func next<Part>(_ type: Part.Type) throws -> Part {
        guard let result = rest.popFirst() else { throw StepBody.mismatch((), expected: type) }
        return try StepBody.cast(result, to: type)
      }
      return try join(repeat try next((each Result).self))
    }
    return Flow(segments: [.fork(Fork(kind: "parallel", branches: .fixed(branches), goal: goal))])
  }
}
