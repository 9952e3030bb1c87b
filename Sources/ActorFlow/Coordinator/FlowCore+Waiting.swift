// Requests from outside, and waiting for what comes of them.
extension FlowCore {
  /// Files a request to leave, and waits until `goal` is reached. Only the waiting can be cancelled.
  func request(
    _ goal: (FlowMachine.Leaving) -> Latch.Goal, whenFiled: () -> Void = {},
    _ input: (inout FlowMachine) throws -> FlowMachine.Leaving
  ) async throws {
    let latch = try await decide { machine in
      let leaving = try input(&machine)
      let latch = Latch(goal(leaving))
      var decision = Decision(latch, event: leaving.event)
      decision.errand = .latch(latch)
      decision.track = leaving.track
      decision.cancelsWalk = leaving.cancelsWalk
      return decision
    }
    whenFiled()
    _ = try await wait(for: latch)
  }

  /// Waits until `goal` is reached, and tells where the flow then stood.
  func wait(for goal: Latch.Goal) async throws -> Position {
    let latch = Latch(goal)
    let position: Position? = try withState { state in
      if latch.isOpen(state.machine) { return state.machine.position }
      // Nothing is decided any more, so there is nothing to wait for.
      if state.isParked { throw CancellationError() }
      state.latches.append(latch)
      return nil
    }
    if let position { return position }
    return try await wait(for: latch)
  }

  private func wait(for latch: Latch) async throws -> Position {
    do { return try StepBody.cast(await latch.cell.value(), to: Position.self) } catch {
      // A waiter that gave up leaves nothing behind.
      withState { state in state.latches.removeAll { $0 === latch } }
      throw error
    }
  }

  /// The coordinator is gone and nothing was ever launched: whoever watches would wait for ever.
  func abandonIfIdle() {
    let readers = withState { state -> EventLog.Wake? in
      guard state.machine.phase == .idle else { return nil }
      state.log.close()
      return state.log.takeWaiting()
    }
    readers?.passOn()
  }

  /// What `run` is to return or throw.
  func takeResult() -> Result<any Sendable, any Error>? {
    withState { $0.machine.takeResult() }
  }

  /// The counters for a next run, if this one is over.
  var numbersIfEnded: FlowMachine.Numbers? {
    withState { $0.machine.phase == .ended ? $0.machine.nextNumbers : nil }
  }
}
