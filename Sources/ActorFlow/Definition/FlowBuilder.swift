/// Puts components one after the other. The pattern is RegexBuilder's: every partial block is erased to a ``Flow``, so
/// the compiler checks each pair of neighbours on its own, and its error stands at the wrong one.
@resultBuilder
public enum FlowBuilder: Sendable {
  /// A component as a flow.
  public static func buildExpression<C: FlowComponent>(_ component: C) -> Flow<C.Input, C.Output> {
    component.flow
  }

  /// The first component.
  public static func buildPartialBlock<I, O>(first: Flow<I, O>) -> Flow<I, O> {
    first
  }

  /// A component that takes what the ones before it make.
  public static func buildPartialBlock<I, M, O>(accumulated: Flow<I, M>, next: Flow<M, O>) -> Flow<I, O> {
    Flow(segments: accumulated.segments + next.segments)
  }

  /// A component that needs nothing may follow anything.
  @_disfavoredOverload
  public static func buildPartialBlock<I, M, O>(accumulated: Flow<I, M>, next: Flow<Void, O>) -> Flow<I, O> {
    Flow(segments: accumulated.segments + [.transform { _ in () }] + next.segments)
  }

  /// `if`: a component that leaves the type as it is may be left out.
  public static func buildOptional<V>(_ component: Flow<V, V>?) -> Flow<V, V> {
    component ?? Flow(segments: [])
  }

  /// An `if` without `else` around a component that changes the type: says what to do, at the `if`.
  @_documentation(visibility: internal) @_disfavoredOverload
  @available(*, unavailable, message: "an 'if' without 'else' may not change the type of the value: add an 'else'")
  public static func buildOptional<I, O>(_ component: Flow<I, O>?) -> Flow<I, O> {
    component ?? Flow(segments: [])
  }

  // One generic parameter for the whole branch: with two, for input and output, the compiler finds branches that
  // differ but no words for it.

  /// The first branch of an `if`/`else` or `switch`.
  public static func buildEither<Branch: FlowComponent>(first component: Branch) -> Branch {
    component
  }

  /// The other branches of an `if`/`else` or `switch`.
  public static func buildEither<Branch: FlowComponent>(second component: Branch) -> Branch {
    component
  }

  /// `for`: components that leave the type as it is, one after the other.
  public static func buildArray<V>(_ components: [Flow<V, V>]) -> Flow<V, V> {
    Flow(segments: components.flatMap(\.segments))
  }

  /// `if #available`.
  public static func buildLimitedAvailability<I, O>(_ component: Flow<I, O>) -> Flow<I, O> {
    component
  }
}
