/// A result builder that puts components one after the other.
///
/// As in RegexBuilder, every partial block is erased to a ``Flow``. So the compiler checks each pair of neighbours on
/// its own and reports an error at the pair that does not fit. See <doc:CompileErrors>.
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

  /// A component that takes the output of the components before it.
  public static func buildPartialBlock<I, M, O>(accumulated: Flow<I, M>, next: Flow<M, O>) -> Flow<I, O> {
    Flow(segments: accumulated.segments + next.segments)
  }

  /// A component with `Void` input, which may follow any other.
  @_disfavoredOverload
  public static func buildPartialBlock<I, M, O>(accumulated: Flow<I, M>, next: Flow<Void, O>) -> Flow<I, O> {
    Flow(segments: accumulated.segments + [.transform { _ in () }] + next.segments)
  }

  /// An `if` without `else`, around a component whose output has the type of its input.
  public static func buildOptional<V>(_ component: Flow<V, V>?) -> Flow<V, V> {
    component ?? Flow(segments: [])
  }

  /// An `if` without `else` around a component that changes the type: unavailable, with the remedy as its message.
  @_documentation(visibility: internal) @_disfavoredOverload
  @available(*, unavailable, message: "an 'if' without 'else' may not change the type of the value: add an 'else'")
  public static func buildOptional<I, O>(_ component: Flow<I, O>?) -> Flow<I, O> {
    component ?? Flow(segments: [])
  }

  // `buildEither` has one generic parameter for the whole branch. With two, for input and output, the compiler detects
  // branches that differ but has no useful message for them.

  /// The first branch of an `if`/`else` or `switch`.
  public static func buildEither<Branch: FlowComponent>(first component: Branch) -> Branch {
    component
  }

  /// The other branches of an `if`/`else` or `switch`.
  public static func buildEither<Branch: FlowComponent>(second component: Branch) -> Branch {
    component
  }

  /// A `for` over components whose output has the type of their input, one after the other.
  public static func buildArray<V>(_ components: [Flow<V, V>]) -> Flow<V, V> {
    Flow(segments: components.flatMap(\.segments))
  }

  /// A component inside `if #available`.
  public static func buildLimitedAvailability<I, O>(_ component: Flow<I, O>) -> Flow<I, O> {
    component
  }
}
