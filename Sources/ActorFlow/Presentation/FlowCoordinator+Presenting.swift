extension FlowCoordinator {
  /// Runs a flow as ``run(_:with:by:)`` does, and presents every event of the run, in order.
  ///
  /// For each event the presenters are asked in the order of the list. The first that returns `true` takes the event,
  /// and the others are not asked. The next event waits until this one is presented. When the flow has ended, the
  /// remaining events are still presented; then `run` returns. Nothing is presented after that.
  ///
  /// **A presenter that throws** ends the flow: the flow is abandoned and rolled back, and `run` throws the presenter's
  /// error. The events that follow are presented as before, and further errors are dropped. If the flow was already
  /// ending for another reason, that ending stays, and `run` returns or throws the result of that ending.
  ///
  /// **Cancelling the calling task** ends the flow as always. The presenters still get all events, to the last one, but
  /// they run in a cancelled task: any wait in them that reacts to cancellation ends at once.
  ///
  /// `run` waits for a slow presenter, even after the flow has ended. Do not wait for a person within `present`.
  ///
  /// - Throws: As ``run(_:with:by:)``; a presenter's error, if it ended the flow.
  public nonisolated func run<I, O>(
    _ flow: some FlowComponent<I, O>, with input: I, presentedBy presenters: [any Presenter],
    by principal: Principal? = nil
  ) async throws -> O {
    try await begin(flow.flow.graph, with: input, by: principal)
    async let failure = Presenting(presenters, in: self).untilTheEnd()
    await drive()
    let presenting = await failure
    let output: any Sendable
    do { output = try await endRun() } catch { throw presenting ?? error }
    if let presenting { throw presenting }
    return try StepBody.cast(output, to: O.self)
  }

  /// Runs a flow that needs no input, and presents every event of the run.
  public nonisolated func run<O>(
    _ flow: some FlowComponent<Void, O>, presentedBy presenters: [any Presenter], by principal: Principal? = nil
  ) async throws -> O {
    try await run(flow, with: (), presentedBy: presenters, by: principal)
  }
}
