// Requests from outside, and waiting for what comes of them.
extension FlowCoordinator {
  /// Files a request to leave, and waits for the milestone that the machine names. Only the waiting can be cancelled.
  nonisolated func request(
    whenFiled: () -> Void = {}, _ input: @Sendable (inout FlowMachine, Stopwatch) throws -> Void
  ) async throws {
    let waiter = OneShot()
    try await decide(waiter: waiter, input)
    whenFiled()
    _ = try await wait(with: waiter)
  }

  /// Waits until a milestone is reached, and returns the position of the flow in that moment.
  nonisolated func wait(for milestone: Milestone) async throws -> Position {
    let waiter = OneShot()
    guard let outcome = try await begin(waitingFor: milestone, with: waiter) else {
      return try await wait(with: waiter)
    }
    return try StepBody.cast(outcome.get(), to: Position.self)
  }

  /// - Returns: The outcome, if the milestone is reached already.
  private func begin(waitingFor milestone: Milestone, with waiter: OneShot) throws -> OneShot.Outcome? {
    if let outcome = machine.outcome(of: milestone, after: nil) { return outcome }
    // Nothing is decided any more, so there is nothing to wait for.
    if isPassivated { throw CancellationError() }
    milestones.append((milestone, waiter))
    return nil
  }

  private nonisolated func wait(with waiter: OneShot) async throws -> Position {
    do { return try StepBody.cast(await waiter.value(), to: Position.self) } catch {
      // A waiter that gave up leaves nothing behind.
      await forget(waiter)
      throw error
    }
  }

  private func forget(_ waiter: OneShot) { milestones.removeAll { $0.waiter === waiter } }

  func openQuestion(of prompt: any Prompt.Type) throws -> Question.ID { try machine.openQuestion(of: prompt).id }
}
