// Questions: the asker's side.
extension FlowCoordinator: StepRuntime {
  nonisolated var flow: FlowID { id }

  /// The everyday question, apart from those that change, end or remind: what it has in its hands while it waits is paid
  /// for in memory by every flow that does.
  nonisolated func ask<P: Prompt>(_ prompt: P, key: String?, at stay: Stay) async throws -> P.Answer {
    try Self.typed(try await answer(to: prompt, key: key, at: stay), as: P.Answer.self)
  }

  private nonisolated func answer(to prompt: any Prompt, key: String?, at stay: Stay) async throws -> any Sendable {
    let cell = OneShot()
    let question = try await question(prompt, key: key, at: stay, cell)
    do { return try await cell.value() } catch {
      // Given up by a child task of the step that the step itself has cancelled: nobody waits any more.
      if let question { await withdraw(question.id, on: stay.track) }
      throw error
    }
  }

  /// Opens a question; nil if there is nothing to withdraw.
  @inline(never)
  private nonisolated func question(_ prompt: any Prompt, key: String?, at stay: Stay, _ cell: OneShot) async throws -> Question? {
    if Task.isCancelled { try await passOver(prompt, key: key, at: stay) }
    switch try await open(prompt, key: key, at: stay, cell, nil) {
    case .answered(let answer): cell.fulfil(.success(answer))
    case .withdrawn, .overdue: break  // waits until the step gives it up again
    case .opened(let question): return question
    }
    return nil
  }

  nonisolated func open<P: Prompt>(_ prompt: P, key: String?, at stay: Stay) async throws -> PendingAnswer<P.Answer> {
    if Task.isCancelled { try await passOver(prompt, key: key, at: stay) }
    let cell = OneShot()
    switch try await open(prompt, key: key, at: stay, cell, nil) {
    case .answered(let answer):
      let typed = try Self.typed(answer, as: P.Answer.self)
      return PendingAnswer { typed }
    case .withdrawn, .overdue:
      // Waits until the step gives it up again.
      return PendingAnswer { try Self.typed(try await cell.value(), as: P.Answer.self) }
    case .opened(let question):
      return PendingAnswer {
        do {
          return try Self.typed(try await cell.value(), as: P.Answer.self)
        } catch {
          // Given up by a child task of the step that the step itself has cancelled: nobody waits any more.
          await self.withdraw(question.id, on: stay.track)
          throw error
        }
      }
    }
  }

  private nonisolated func open<P: Prompt>(
    _ prompt: P, key: String?, at stay: Stay, _ cell: OneShot, _ deadline: AskDeadline?
  ) async throws -> FlowMachine.Asked {
    let persisted = !isPersisted ? nil : try await persisted(prompt, at: stay)
    let caller = await callingTask(at: stay)
    return try await decide(on: stay.track, waiter: cell) { machine, stopwatch in
      try machine.ask(
        prompt, key: key, visit: stay.visit, on: stay.track, within: deadline, persisted: persisted,
        by: caller, at: stopwatch.elapsed())
    }
  }

  /// A cancelled task comes to ask. Returns only if the visit is replayed, and the answer is known.
  @inline(never)
  private nonisolated func passOver(_ prompt: any Prompt, key: String?, at stay: Stay, hasLimit: Bool = false) async throws {
    let caller = await callingTask(at: stay)
    try await passOver(at: stay) {
      try $0.passOver(prompt, key: key, visit: stay.visit, on: stay.track, hasLimit: hasLimit, by: caller)
    }
  }

  /// A cancelled task comes to ask or to wait. Where visits are replayed it may be told sooner or later than the first
  /// time, and what comes after this is still to be known by the same keys.
  ///
  /// - Throws: `CancellationError`, unless the visit is replayed and the outcome is known.
  @inline(never)
  nonisolated func passOver(
    at stay: Stay, _ input: @Sendable (inout FlowMachine) throws -> FlowMachine.PassedOver
  ) async throws {
    guard replays else { throw CancellationError() }
    let passed = try? await decide(on: stay.track) { machine, _ in try input(&machine) }
    guard case .known? = passed else { throw CancellationError() }
  }

  /// - Parameter isCancelled: Whether the asker is, and not what it did as a reminder has thrown.
  @inline(never)
  private nonisolated func withdraw(_ question: Question.ID, on track: TrackID, isCancelled: Bool = true) async {
    // Closed by whatever has ended the waiting: the everyday case, and nothing to decide.
    if await !machine.isOpen(question, on: track) { return }
    _ = try? await decide(on: track) { machine, stopwatch in
      machine.withdraw(question, on: track, isCancelled: isCancelled, at: stopwatch.elapsed())
    }
  }

  nonisolated func ask<P: Prompt>(
    _ prompt: P, key: String?, at stay: Stay, within limit: Duration?, reminding: Reminding?
  ) async throws -> P.Answer? {
    if Task.isCancelled { try await passOver(prompt, key: key, at: stay, hasLimit: limit != nil) }
    let cell = OneShot()
    let deadline = AskDeadline(
      due: limit, reminder: reminding.map { (first: $0.every, every: $0.every, max: $0.max) })
    switch try await open(prompt, key: key, at: stay, cell, deadline) {
    case .answered(let answer): return try Self.typed(answer, as: P.Answer.self)
    case .overdue: return nil
    case .withdrawn: return try Self.typed(try await cell.value(), as: P.Answer.self)
    case .opened(let question):
      do {
        while true {
          let value = try await cell.value()
          guard let nudge = value as? OneShot.Nudge else {
            return value is TimeIsUp ? nil : try Self.typed(value, as: P.Answer.self)
          }
          try await remind(nudge.number, reminding, of: question, on: stay.track)
        }
      } catch {
        await withdraw(question.id, on: stay.track)
        throw error
      }
    }
  }

  /// An error of the reminder withdraws the question, and is thrown to the asker.
  private nonisolated func remind(_ number: Int, _ reminding: Reminding?, of question: Question, on track: TrackID) async throws {
    do { try await reminding?.remind(number) } catch {
      await withdraw(question.id, on: track, isCancelled: Task.isCancelled)
      throw error
    }
  }

  nonisolated func update<P: Prompt>(_ prompt: P, at stay: Stay) async throws {
    let persisted = !isPersisted ? nil : try await persisted(prompt, of: step(of: stay))
    try await decide(on: stay.track) { machine, _ in
      try machine.update(prompt, visit: stay.visit, on: stay.track, persisted: persisted)
    }
  }

  func step(of stay: Stay) -> StepID? { machine[stay.track].visit?.info.id }

  nonisolated func backUp(from stay: Stay) async throws {
    try await decide { machine, stopwatch in
      try machine.backUp(from: stay.visit, on: stay.track, since: stopwatch.elapsed())
    }
  }

  nonisolated func abandon(_ reason: String, from stay: Stay) async throws {
    try await decide { machine, stopwatch in
      try machine.abandon(reason, from: stay.visit, on: stay.track, since: stopwatch.elapsed())
    }
  }

  private static func typed<T>(_ value: any Sendable, as type: T.Type) throws -> T {
    try StepBody.cast(value, to: type)
  }
}
