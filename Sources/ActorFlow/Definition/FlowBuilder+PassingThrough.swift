// Components that let their value through take its type from their neighbours.
extension FlowBuilder {
  /// No component: the value passes.
  public static func buildBlock() -> Flow<PassingThrough, PassingThrough> {
    Flow(segments: [])
  }

  /// A component that lets the output of the components before it through.
  public static func buildPartialBlock<I, M>(
    accumulated: Flow<I, M>, next: Flow<PassingThrough, PassingThrough>
  ) -> Flow<I, M> {
    Flow(segments: accumulated.segments + next.segments.placed(at: M.self))
  }

  /// A component behind one that lets its input through.
  public static func buildPartialBlock<M, O>(
    accumulated: Flow<PassingThrough, PassingThrough>, next: Flow<M, O>
  ) -> Flow<M, O> {
    Flow(segments: accumulated.segments.placed(at: M.self) + next.segments)
  }

  /// A component that lets a value through, behind another one.
  public static func buildPartialBlock(
    accumulated: Flow<PassingThrough, PassingThrough>, next: Flow<PassingThrough, PassingThrough>
  ) -> Flow<PassingThrough, PassingThrough> {
    Flow(segments: accumulated.segments + next.segments)
  }

  /// A component that lets the output of the components before it through, or finishes.
  public static func buildPartialBlock<I, M, E>(
    accumulated: Flow<I, M>, next: Flow<PassingThrough, Exit<PassingThrough, E>>
  ) -> Flow<I, Exit<M, E>> {
    Flow(segments: accumulated.segments + next.segments.placed(at: Exit<M, E>.self))
  }
}
