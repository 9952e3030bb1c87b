extension FlowCoordinator {
  /// Backs up to an earlier place, and returns when the flow has landed there.
  ///
  /// The running step is cancelled and awaited. Then `backUp` is called for every step that is left, newest first, and
  /// last for the target. Then the target's `proceed` is called again, on the same instance with the same input.
  ///
  /// Without a name, the target is the nearest earlier step that asked a question, unless a ``BackUpPolicy`` says
  /// otherwise. With a name, it is the nearest earlier step of that name, even if that step asked nothing.
  ///
  /// Cancelling the calling task ends only the waiting; the request stands.
  ///
  /// - Throws: A ``FlowError``. If the request is refused, nothing has changed: `cannotBackUp` if there is no place to
  ///   back up to, `moving` during another back, `ending` while the flow ends, `notRunning`, `flowEnded`, `insideFlow`
  ///   when called from the flow's own steps. After landing, `rollbackFailed` if a step's `backUp` threw; `ending` if
  ///   the flow or the branch was ended on the way.
  public nonisolated func backUp(to step: StepID? = nil) async throws {
    try refuseLeavingInside("try await context.backUp()")
    try await request { machine, stopwatch in
      try machine.backUp(to: step, since: stopwatch.elapsed())
    }
  }

  /// Backs up from the step that asks this question, as ``backUp(to:)`` does. If several branches are open, the branch
  /// that asks backs up.
  ///
  /// - Throws: As ``backUp(to:)``; `questionClosed` or `noSuchQuestion` if the question is not open.
  public nonisolated func backUp(from question: Question.ID) async throws {
    try refuseLeavingInside("try await context.backUp()")
    try await request { machine, stopwatch in
      try machine.backUp(from: question, since: stopwatch.elapsed())
    }
  }

  /// Ends the flow, and returns when it has ended: the running step was cancelled and awaited, and the flow was rolled
  /// back, newest step first.
  ///
  /// If the flow is already ending, this call waits for that end, and the ending does not change. Cancelling the
  /// calling task ends only the waiting; the request stands.
  ///
  /// - Parameters:
  ///   - reason: The reason; the message of the error that `run` throws.
  ///   - rollingBack: Whether to roll back; with `false` no `backUp` is called, and all effects stay.
  /// - Throws: A ``FlowError`` with the code `rollbackFailed`, after the end, if a step's `backUp` threw; `notRunning`,
  ///   `flowEnded`, or `insideFlow` when called from the flow's own steps.
  public nonisolated func abandon(reason: String = "", rollingBack: Bool = true) async throws {
    try refuseLeavingInside("try await context.abandon(_:)")
    try await request { machine, stopwatch in
      try machine.abandon(reason: reason, rollBack: rollingBack, since: stopwatch.elapsed())
    }
  }

  nonisolated func refuseLeavingInside(_ verb: String) throws {
    try refuseInside(
      step: "a step cannot wait until it has been left; use `\(verb)`",
      effect: "an effect cannot wait until its step has been left; send an action through its sink and let "
        + "the step's output say where the flow goes, or throw, which fails the step")
  }

  /// Refuses a request that would wait for the code that makes it.
  ///
  /// - Parameters:
  ///   - step: The remedy for a step.
  ///   - effect: The remedy for an effect of a rendered step, which has no context.
  nonisolated func refuseInside(step: @autoclosure () -> String, effect: @autoclosure () -> String) throws {
    guard let code = FlowChain.code(of: serial) else { return }
    let remedy =
      switch code {
      case .step: step()
      case .effect: effect()
      }
    throw FlowError(.insideFlow, remedy, flow: id)
  }
}

// MARK: - Requests and their outcome

extension FlowCoordinator {
  /// Files a request to leave, and waits for the milestone that the machine names. Only the waiting can be cancelled.
  nonisolated func request(
    cause: (any CommitCause)? = nil, whenFiled: () -> Void = {},
    _ input: @Sendable (inout FlowMachine, any Stopwatch) throws -> Void
  ) async throws {
    let waiter = OneShot()
    try await decide(cause: cause, waiter: waiter, input)
    whenFiled()
    _ = try await wait(with: waiter)
  }

  /// Waits until a milestone is reached, and returns the flow's position at that moment.
  nonisolated func wait(for milestone: Milestone) async throws -> Position {
    let waiter = OneShot()
    guard let outcome = try await begin(waitingFor: milestone, with: waiter) else {
      return try await wait(with: waiter)
    }
    return try StepBody.cast(outcome.get(), to: Position.self)
  }

  /// - Returns: The outcome if the milestone is already reached; `nil` if the waiter was registered.
  private func begin(waitingFor milestone: Milestone, with waiter: OneShot) throws -> OneShot.Outcome? {
    if let outcome = withState({ $0.machine.outcome(of: milestone, after: nil) }) { return outcome }
    // A passivated flow decides nothing more, so the milestone would never be reached.
    if state.isPassivated { throw CancellationError() }
    state.milestones.append((milestone, waiter))
    return nil
  }

  private nonisolated func wait(with waiter: OneShot) async throws -> Position {
    do { return try StepBody.cast(await waiter.value(), to: Position.self) } catch {
      // After the task was cancelled, remove the waiter.
      await forget(waiter)
      throw error
    }
  }

  private func forget(_ waiter: OneShot) { state.milestones.removeAll { $0.waiter === waiter } }

  func openQuestion(of prompt: any Prompt.Type) throws -> Question.ID {
    try withState { try $0.machine.openQuestion(of: prompt, at: $0.stopwatch.elapsed()).id }
  }
}
