// Requests from outside, and waiting for what comes of them.
extension FlowCoordinator {
  /// Files a request to leave, and waits until `goal` is reached. Only the waiting can be cancelled.
  nonisolated func request(
    _ goal: @Sendable (FlowMachine.Leaving) -> Milestone.Goal, whenFiled: () -> Void = {},
    _ input: @Sendable (inout FlowMachine, Stopwatch) throws -> FlowMachine.Leaving
  ) async throws {
    let milestone = try await decide { machine, stopwatch in
      let leaving = try input(&machine, stopwatch)
      let milestone = Milestone(goal(leaving))
      var decision = Decision(milestone, leaving)
      decision.errand = .reach(milestone)
      return decision
    }
    whenFiled()
    _ = try await wait(for: milestone)
  }

  /// Waits until `goal` is reached, and tells where the flow then stood.
  nonisolated func wait(for goal: Milestone.Goal) async throws -> Position {
    let milestone = Milestone(goal)
    guard let outcome = try await begin(waitingFor: milestone) else { return try await wait(for: milestone) }
    return try StepBody.cast(outcome.get(), to: Position.self)
  }

  /// - Returns: The outcome, if the milestone is reached already.
  private func begin(waitingFor milestone: Milestone) throws -> OneShot.Outcome? {
    if let outcome = milestone.outcome(after: nil, of: machine) { return outcome }
    // Nothing is decided any more, so there is nothing to wait for.
    if isParked { throw CancellationError() }
    milestones.append(milestone)
    return nil
  }

  private nonisolated func wait(for milestone: Milestone) async throws -> Position {
    do { return try StepBody.cast(await milestone.waiter.value(), to: Position.self) } catch {
      // A waiter that gave up leaves nothing behind.
      await forget(milestone)
      throw error
    }
  }

  private func forget(_ milestone: Milestone) { milestones.removeAll { $0 === milestone } }

  func openQuestion(of prompt: any Prompt.Type) throws -> Question.ID { try machine.openQuestion(of: prompt).id }
}
