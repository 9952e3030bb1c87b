extension FlowCoordinator {
  /// Runs a flow as ``run(_:with:)`` does, and has every event of the run presented, in order.
  ///
  /// For each event the presenters are asked in the order of the list; the first that returns true has taken it, and
  /// the others are not asked. The next event waits until this one is presented. When the flow has ended, the events
  /// that are left are still presented; then `run` returns. Nothing is presented after that.
  ///
  /// **A presenter that throws** ends the flow: it is abandoned, what was done is undone, and `run` throws the
  /// presenter's error. The events that follow are presented as before, and further errors are dropped. If the flow was
  /// ending already, for another reason, that ending stays, and `run` returns or throws what belongs to it.
  ///
  /// **Cancelling the calling task** ends the flow as always. The presenters get all events also then, to the last one;
  /// but they run in a task that is cancelled, so whatever they wait for that heeds cancellation gives up at once.
  ///
  /// `run` waits for a presenter that takes its time, also when the flow has ended: one that waits for a person should
  /// not do so within `present`.
  ///
  /// - Throws: As ``run(_:with:)``; a presenter's error, if it ended the flow.
  public nonisolated func run<I, O>(
    _ flow: some FlowComponent<I, O>, with input: I, presentedBy presenters: [any Presenter]
  ) async throws -> O {
    try await launch(flow.flow.graph, with: input)
    async let failure = Presenting(presenters, in: self).untilTheEnd()
    await drive()
    let presenting = await failure
    let result: Result<O, any Error> = await endRun()
    if let presenting { throw presenting }
    return try result.get()
  }

  /// Runs a flow that needs no input, and has every event presented.
  public nonisolated func run<O>(
    _ flow: some FlowComponent<Void, O>, presentedBy presenters: [any Presenter]
  ) async throws -> O {
    try await run(flow, with: (), presentedBy: presenters)
  }
}
