extension FlowComponent {
  /// Asks `guard` before the component is entered. If it throws, nothing of the component is entered.
  ///
  /// ```swift
  /// Step("approve", ApprovalStep.init).guarded { (order: Order, context) in
  ///   guard context.answeredBy?.roles.contains("manager") == true else { throw NotAManager() }
  /// }
  /// ```
  ///
  /// The guard runs in the flow's task, while the previous step still has the focus: after the component is reached
  /// and before a factory of it runs. Its error is a failure at this point: a ``recover(_:)`` or a
  /// ``retry(_:backoff:)`` around the component acts, else the flow fails, or is suspended on a host, with that very
  /// error.
  ///
  /// The guard is asked again before a walk inside the component begins anew: after a back, in another attempt, and when
  /// a durable flow is activated. It gets the input and the context with which the component was entered, so it tells
  /// whether those who were admitted still are, no matter who has answered inside. A step whose guard then throws has
  /// failed, and its `proceed` is not called.
  ///
  /// - Parameter guard: Gets the input of the component. The context tells who has begun the run, and who had answered
  ///   last when the component was reached.
  public func guarded(
    by guard: @escaping @Sendable (Input, EntryContext) async throws -> Void
  ) -> Flow<Input, Output> {
    let kind = Scope.Kind.guarded { input, context in
      try await `guard`(try StepBody.cast(input, to: Input.self), context)
    }
    return Flow(segments: [.enter(kind)] + flow.segments + [.leave])
  }

  /// A mistake that does not compile: the result of a guard would be ignored, and everybody admitted.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a guard refuses by throwing an error; what it returns would be ignored")
  public func guarded(
    by guard: @escaping @Sendable (Input, EntryContext) async throws -> Bool
  ) -> Flow<Input, Output> { flow }
}
