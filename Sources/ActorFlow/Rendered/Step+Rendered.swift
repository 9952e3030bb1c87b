extension Step {
  /// A step that is a ``RenderedStep``: `Step("count") { (limit: Int) in Counter(limit: limit) }`.
  ///
  /// - Parameters:
  ///   - id: The step's part in paths.
  ///   - none: Pass nothing. The parameter keeps the compiler from taking an actor's initialiser for the closure, so
  ///     that the diagnostics for an actor step name that actor.
  ///   - make: Makes the step's value from its input. Called when the step is entered, and again when the flow returns
  ///     to it with its state. An error fails the step.
  public init<S: RenderedStep>(
    _ id: String, _ none: Never..., rendering make: @escaping @Sendable (Input) throws -> S
  ) where S.Output == Output {
    self.init(
      name: id.isEmpty ? String(describing: S.self) : id,
      body: StepBody(
        make: .synchronous { RenderRunner(make) }, skip: nil,
        proceed: { instance, input, context in
          let runner = try StepBody.step(instance, as: RenderRunner<S, Input>.self)
          return try await runner.proceed(try StepBody.cast(input, to: Input.self), context: context)
        },
        backUp: nil,
        types: StepTypes(
          Input.self, Output.self, step: S.self,
          kept: [("state", S.State.self), ("rendering", S.Rendering.self), ("action", S.Action.self)])))
  }
}
