// A question and a wait for a signal, of which the first outcome counts. One task waits for both, with one waiter.
extension FlowCoordinator {
  nonisolated func first<P: Prompt, Value: Sendable>(
    of prompt: P, key: String?, or signal: String, matching condition: (@Sendable (Value) -> Bool)?, at stay: Stay,
    within limit: Duration?
  ) async throws -> First<Reply<P.Answer>, Value>? {
    try settings.persistence?.refuse("first(of:or:)", of: id)
    let asker = replays ? try await asker(of: prompt, at: stay) : nil
    if Task.isCancelled {
      try await passOver(at: stay) {
        try $0.passOver(
          first: prompt, key: key, or: signal, at: stay, hasLimit: limit != nil, by: asker?.task ?? .unknown)
      }
    }
    let waiter = OneShot()
    let paired = try await judging(signal, with: condition) { condition, verdicts in
      try await decide(on: stay.track, waiter: waiter) { machine, stopwatch in
        try machine.first(
          of: prompt, key: key, or: signal, as: Value.self, at: stay, matching: condition, within: limit,
          persisted: asker?.persisted, by: asker?.task ?? .unknown, at: stopwatch.elapsed(),
          judging: verdicts.callAsFunction)
      }
    }
    switch paired {
    case .answered(let replied): return .answered(try reply(replied))
    case .received(let value): return .received(try StepBody.cast(value, to: Value.self))
    case .overdue: return nil
    // Waits until the step gives both up again.
    case .withdrawn: return try first(await waiter.value())
    case .opened(let question, _):
      do { return try first(await waiter.value()) } catch {
        await withdraw(question.id.number, on: stay.track)
        throw error
      }
    }
  }

  /// Returns the outcome that a task was resumed with: a ``Replied``, a ``TimeIsUp``, or the value of the signal.
  private nonisolated func first<Answer: Sendable, Value: Sendable>(
    _ outcome: any Sendable
  ) throws -> First<Reply<Answer>, Value>? {
    if outcome is TimeIsUp { return nil }
    if outcome is Replied { return .answered(try reply(outcome)) }
    return .received(try StepBody.cast(outcome, to: Value.self))
  }
}
