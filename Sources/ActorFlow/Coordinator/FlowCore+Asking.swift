// Questions: the asker's side.
extension FlowCore: StepRuntime {
  /// The everyday question, apart from those that change, end or remind: what it has in its hands while it waits is paid
  /// for in memory by every flow that does.
  func ask<P: Prompt>(_ prompt: P, key: String?, at stay: Stay) async throws -> P.Answer {
    try Self.typed(try await answer(to: prompt, key: key, at: stay), as: P.Answer.self)
  }

  private func answer(to prompt: any Prompt, key: String?, at stay: Stay) async throws -> any Sendable {
    var cell = Cell()
    let question = try await question(prompt, key: key, at: stay, &cell)
    do { return try await cell.value() } catch {
      // Given up by a child task of the step that the step itself has cancelled: nobody waits any more.
      if let question { await withdraw(question.id, on: stay.track) }
      throw error
    }
  }

  /// Opens a question; nil if there is nothing to withdraw. If none is opened there is another cell: the one that came in
  /// belongs to a question that is not open, and gets nothing but that.
  @inline(never)
  private func question(
    _ prompt: any Prompt, key: String?, at stay: Stay, _ cell: inout Cell
  ) async throws -> Question? {
    if Task.isCancelled { try await passOver(prompt, key: key, at: stay) }
    switch try await open(prompt, key: key, at: stay, cell, nil) {
    case .answered(let answer):
      cell = Cell()
      cell.fulfil(.success(answer))
    case .withdrawn, .overdue: cell = Cell()  // waits until the step gives it up again
    case .opened(let question, _): return question
    }
    return nil
  }

  func open<P: Prompt>(_ prompt: P, key: String?, at stay: Stay) async throws -> PendingAnswer<P.Answer> {
    if Task.isCancelled { try await passOver(prompt, key: key, at: stay) }
    let cell = Cell()
    switch try await open(prompt, key: key, at: stay, cell, nil) {
    case .answered(let answer):
      let typed = try Self.typed(answer, as: P.Answer.self)
      return PendingAnswer { typed }
    case .withdrawn, .overdue:
      // Waits until the step gives it up again.
      return PendingAnswer { try Self.typed(try await Cell().value(), as: P.Answer.self) }
    case .opened(let question, _):
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

  private func open<P: Prompt>(
    _ prompt: P, key: String?, at stay: Stay, _ cell: Cell, _ deadline: AskDeadline?
  ) async throws -> FlowMachine.Asked {
    let keeping = !isKept ? nil : try keeping(prompt, at: stay)
    let byChild = isChild(of: stay)
    return try await decide(on: stay.track, asker: cell) { machine in
      let asked = try machine.ask(
        prompt, key: key, visit: stay.visit, on: stay.track, within: deadline, keeping: keeping,
        byChild: byChild, at: elapsed)
      return switch asked {
      case .answered, .withdrawn, .overdue: Decision(asked)
      case .opened(_, let event): Decision(asked, event: event)
      }
    }
  }

  /// A task that was cancelled comes to ask. Where visits are replayed it may be told sooner than the first time, and
  /// the questions after this one are still to be known by the same keys.
  @inline(never)
  private func passOver(_ prompt: any Prompt, key: String?, at stay: Stay) async throws {
    if isKept {
      _ = try? await decide(on: stay.track, commits: false) {
        Decision($0.passOver(prompt, key: key, visit: stay.visit, on: stay.track))
      }
    }
    throw CancellationError()
  }

  @inline(never)
  private func withdraw(_ question: Question.ID, on track: TrackID) async {
    // Closed by whatever has ended the waiting: the everyday case, and nothing to decide.
    if commit == nil, withState({ !$0.machine.isOpen(question, on: track) }) { return }
    _ = try? await decide(on: track) { Decision((), event: $0.withdraw(question, on: track)) }
  }

  func ask<P: Prompt>(
    _ prompt: P, key: String?, at stay: Stay, within limit: Duration?, reminding: Reminding?
  ) async throws -> P.Answer? {
    if Task.isCancelled { try await passOver(prompt, key: key, at: stay) }
    let cell = Cell()
    let deadline = AskDeadline(
      due: limit, reminder: reminding.map { (first: $0.every, every: $0.every, max: $0.max) })
    switch try await open(prompt, key: key, at: stay, cell, deadline) {
    case .answered(let answer): return try Self.typed(answer, as: P.Answer.self)
    case .overdue: return nil
    case .withdrawn: return try Self.typed(try await Cell().value(), as: P.Answer.self)
    case .opened(let question, _):
      do {
        while true {
          let value = try await cell.value()
          guard let nudge = value as? Cell.Nudge else {
            return value is TimeIsUp ? nil : try Self.typed(value, as: P.Answer.self)
          }
          try await reminding?.remind(nudge.number)
        }
      } catch {
        await withdraw(question.id, on: stay.track)
        throw error
      }
    }
  }

  func update<P: Prompt>(_ prompt: P, at stay: Stay) async throws {
    let keeping = !isKept ? nil : try keeping(prompt, of: step(of: stay))
    try await decide(on: stay.track) {
      Decision((), event: try $0.update(prompt, visit: stay.visit, on: stay.track, keeping: keeping))
    }
  }

  func step(of stay: Stay) -> StepID? { withState { $0.machine[stay.track].visit?.info.id } }

  func backUp(from stay: Stay) throws {
    let since = elapsed
    try decideNow { try $0.backUp(from: stay.visit, on: stay.track, since: since).decision }
  }

  func abandon(_ reason: String, from stay: Stay) throws {
    let since = elapsed
    try decideNow { try $0.abandon(reason, from: stay.visit, on: stay.track, since: since).decision }
  }

  private static func typed<T>(_ value: any Sendable, as type: T.Type) throws -> T {
    try StepBody.cast(value, to: type)
  }
}
