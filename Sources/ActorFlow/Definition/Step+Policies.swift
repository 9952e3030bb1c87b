extension Step {
  /// Sets where a back may lead, by the input with which the step is entered.
  ///
  /// ```swift
  /// Step("delivery", DeliveryStep.init).onBackUp { (order: Order) in order.isShipped ? .oneWay : .automatic }
  /// ```
  ///
  /// `choose` runs when the step is reached, before it is entered or skipped, while the previous step still has the
  /// focus. A durable flow does not store the policy: `choose` runs again when the flow is activated, so let it depend
  /// on the input alone.
  ///
  /// - Parameter choose: Gets the input of the step. Runs in the flow's task.
  public func onBackUp(_ choose: @escaping @Sendable (Input) -> BackUpPolicy) -> Flow<Input, Output> {
    let chosen = ChosenBackUpPolicy(Input.self) { choose(try StepBody.cast($0, to: Input.self)) }
    return Flow(segments: [.begin(.chosenBackUp(chosen))] + flow.segments + [.end])
  }
}

extension FlowComponent {
  /// A mistake that does not compile: a policy by the input belongs to a single step.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a back-up policy by the input belongs to a single step: write it directly after 'Step(…)'"
  )
  public func onBackUp(_ choose: @escaping @Sendable (Input) -> BackUpPolicy) -> Flow<Input, Output> { flow }
}
