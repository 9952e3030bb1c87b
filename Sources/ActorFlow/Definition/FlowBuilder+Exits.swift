// Behind a component that may finish, the next one takes the value that proceeds. All are disfavored: where none fits,
// the compiler then names the types of the two components, and their place, instead of listing what it has tried.
extension FlowBuilder {
  /// A component that takes the value with which the components before it proceed.
  @_disfavoredOverload
  public static func buildPartialBlock<I, M, O, E>(
    accumulated: Flow<I, Exit<M, E>>, next: Flow<M, O>
  ) -> Flow<I, Exit<O, E>> {
    let next = next.segments + [Exit<O, E>.proceeding]
    return Flow(segments: accumulated.segments + [Exit<M, E>.junction(next, to: Exit<O, E>.self)])
  }

  /// A component that takes the value with which the components before it proceed, and may finish itself.
  @_disfavoredOverload
  public static func buildPartialBlock<I, M, O, E>(
    accumulated: Flow<I, Exit<M, E>>, next: Flow<M, Exit<O, E>>
  ) -> Flow<I, Exit<O, E>> {
    Flow(segments: accumulated.segments + [Exit<M, E>.junction(next.segments, to: Exit<O, E>.self)])
  }

  /// A component with `Void` input behind one that may finish.
  @_disfavoredOverload
  public static func buildPartialBlock<I, M, O, E>(
    accumulated: Flow<I, Exit<M, E>>, next: Flow<Void, O>
  ) -> Flow<I, Exit<O, E>> {
    buildPartialBlock(accumulated: accumulated, next: Flow<M, O>(dropping: next))
  }

  /// A component with `Void` input that may finish, behind one that may finish.
  @_disfavoredOverload
  public static func buildPartialBlock<I, M, O, E>(
    accumulated: Flow<I, Exit<M, E>>, next: Flow<Void, Exit<O, E>>
  ) -> Flow<I, Exit<O, E>> {
    buildPartialBlock(accumulated: accumulated, next: Flow<M, Exit<O, E>>(dropping: next))
  }

  /// A component with `Void` input behind one that proceeds with nothing. Decides between the others, which all fit.
  @_disfavoredOverload
  public static func buildPartialBlock<I, O, E>(
    accumulated: Flow<I, Exit<Void, E>>, next: Flow<Void, O>
  ) -> Flow<I, Exit<O, E>> {
    let next = next.segments + [Exit<O, E>.proceeding]
    return Flow(segments: accumulated.segments + [Exit<Void, E>.junction(next, to: Exit<O, E>.self)])
  }

  /// A component with `Void` input that may finish, behind one that proceeds with nothing.
  @_disfavoredOverload
  public static func buildPartialBlock<I, O, E>(
    accumulated: Flow<I, Exit<Void, E>>, next: Flow<Void, Exit<O, E>>
  ) -> Flow<I, Exit<O, E>> {
    Flow(segments: accumulated.segments + [Exit<Void, E>.junction(next.segments, to: Exit<O, E>.self)])
  }

  /// A component that finishes with another type than those before it: a mistake that does not compile.
  @_documentation(visibility: internal) @_disfavoredOverload
  @available(
    *, deprecated,
    message: "a component finishes with another type than those before it: convert its Exit with '.map'"
  )
  @FinishesWithAnotherType
  public static func buildPartialBlock<I, M, O, E, F>(
    accumulated: Flow<I, Exit<M, E>>, next: Flow<M, Exit<O, F>>
  ) -> Flow<I, Exit<O, E>> {
    Flow(segments: accumulated.segments)
  }

  /// A component that lets the value through with which the components before it proceed.
  public static func buildPartialBlock<I, M, E>(
    accumulated: Flow<I, Exit<M, E>>, next: Flow<PassingThrough, PassingThrough>
  ) -> Flow<I, Exit<M, E>> {
    buildPartialBlock(accumulated: accumulated, next: Flow<M, M>(segments: next.segments.placed(at: M.self)))
  }

  /// A component that lets the value through with which the components before it proceed, or finishes.
  public static func buildPartialBlock<I, M, E>(
    accumulated: Flow<I, Exit<M, E>>, next: Flow<PassingThrough, Exit<PassingThrough, E>>
  ) -> Flow<I, Exit<M, E>> {
    let next = Flow<M, Exit<M, E>>(segments: next.segments.placed(at: Exit<M, E>.self))
    return buildPartialBlock(accumulated: accumulated, next: next)
  }

  /// An `if` without `else` around a component that may finish, and proceeds with a value of the type of its input.
  public static func buildOptional<V, E>(_ component: Flow<V, Exit<V, E>>?) -> Flow<V, Exit<V, E>> {
    component ?? .proceeding()
  }

  /// A `for` over components that may finish, and proceed with a value of the type of their input.
  public static func buildArray<V, E>(_ components: [Flow<V, Exit<V, E>>]) -> Flow<V, Exit<V, E>> {
    components.reduce(.proceeding()) { buildPartialBlock(accumulated: $0, next: $1) }
  }
}

extension Flow {
  /// A flow that proceeds with its value.
  fileprivate static func proceeding<E>() -> Flow where Output == Exit<Input, E> {
    Flow(segments: [Output.proceeding])
  }

  /// A flow with `Void` input, behind a component with another output.
  fileprivate init(dropping flow: Flow<Void, Output>) {
    self.init(segments: [.transform { _ in () }] + flow.segments)
  }
}

/// The isolation of what would mix two types of outcomes. No caller has it.
@_documentation(visibility: internal)
@globalActor public actor FinishesWithAnotherType {
  /// The shared instance. Nothing runs on it.
  @_documentation(visibility: internal)
  public static let shared = FinishesWithAnotherType()
}
