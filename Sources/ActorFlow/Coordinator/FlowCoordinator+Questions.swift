import Synchronization

// Questions: first the side of the answerers, then the side of the askers.
extension FlowCoordinator {
  /// Checks an answer in the caller's task and hands it to the asker.
  nonisolated func checkAndAccept<A: Sendable>(
    _ answer: A, for id: Question.ID, by principal: Principal?, revision: Int?, cause: (any CommitCause)?
  ) async throws {
    var (question, receiver, asker) = try await openQuestion(takingActions: id)
    if type(of: question.prompt).isAudited { try cause?.notesAuditedAnswer(answer) }
    var attempt = ActionAttempt.first(by: principal)
    while true {
      do {
        if let revision, revision != question.revision { throw await staleness(of: revision, for: question.id) }
        try await Self.validate(answer, for: question.prompt, by: principal, in: question)
      } catch {
        if attempt.claim != nil { await receiver?.giveUp(attempt) }
        throw error
      }
      // The question may have been closed or updated during the validation.
      if let receiver {
        switch await receiver.receive(answer, to: question, attempt: attempt, cause: cause) {
        case .applied: return
        case .changed(let next):
          attempt = next
          question = try await self.question(id, for: attempt, of: receiver)
        case let outcome: throw await refusal(for: outcome, of: question)
        }
      } else {
        guard let changed = try await accept(answer, for: question, of: asker, by: principal, cause) else { return }
        question = changed
      }
    }
  }

  /// Returns the question as it is now, for another attempt.
  private nonisolated func question(
    _ id: Question.ID, for attempt: ActionAttempt, of receiver: any ActionReceiver
  ) async throws -> Question {
    do { return try await openQuestion(id) } catch {
      await receiver.giveUp(attempt)
      throw error
    }
  }

  /// The task that asks an open question.
  private struct Asker: Sendable {
    let track: TrackID
    let waiter: OneShot?
  }

  private func openQuestion(
    takingActions id: Question.ID
  ) throws -> (question: Question, receiver: (any ActionReceiver)?, asker: Asker) {
    try withState { state in
      let (question, receiver) = try state.machine.openQuestion(takingActions: id, at: state.stopwatch.elapsed())
      let track = state.machine.asker(of: id) ?? .main
      return (question, receiver, Asker(track: track, waiter: state.with(track) { $0.asker }))
    }
  }

  /// Reserves the asker in the turn in which the machine accepts the answer. If the asker has given up, the question is
  /// closed even before the machine hears of it. An asker whose answer is accepted can no longer give up.
  ///
  /// - Returns: The current question, if it changed since it was validated; `nil` if the answer was accepted.
  private nonisolated func accept(
    _ answer: any Sendable, for question: Question, of asker: Asker, by principal: Principal?,
    _ cause: (any CommitCause)?
  ) async throws -> Question? {
    let waiter = asker.waiter
    let isTaken = Atomic<Bool>(false)
    do {
      return try await decideAnswer(on: asker.track, cause: cause, asker: waiter) { [id] machine, stopwatch in
        let now = try machine.openQuestion(question.id, at: stopwatch.elapsed())
        guard now.revision == question.revision else { return now }
        guard let waiter, waiter.take() else {
          throw FlowError(
            .questionClosed, "question \(question.id.debugDescription) no longer waits for an answer", flow: id
          ).listing(machine.questionsToAnswer(at: stopwatch.elapsed(), besides: question.id))
        }
        isTaken.store(true, ordering: .relaxed)
        try machine.answer(question.id, with: answer, by: principal, at: stopwatch.elapsed())
        return nil
      }
    } catch {
      if isTaken.load(ordering: .relaxed) { waiter?.giveBack() }
      throw error
    }
  }

  /// Returns the error for an answer that names another revision than its question shows, or the reason that the
  /// question is closed by now.
  private func staleness(of revision: Int, for question: Question.ID) -> any Error {
    withState { state in
      do {
        return try state.machine.staleness(of: revision, for: question, at: state.stopwatch.elapsed())
      } catch { return error }
    }
  }

  private static func validate<P: Prompt>(
    _ answer: any Sendable, for prompt: P, by principal: Principal?, in question: Question
  ) async throws {
    guard case let typed as P.Answer = answer else {
      throw FlowError(
        .wrongAnswerType,
        "a prompt of type \(P.self) takes an answer of type \(P.Answer.self), not \(type(of: answer))",
        flow: question.id.flow, step: question.step)
    }
    try await guarding(.notAllowed, by: P.self, in: question) { try await prompt.authorize(principal) }
    try await guarding(.invalid, by: P.self, in: question) { try await prompt.validate(typed) }
    try await guarding(.notAllowed, by: P.self, in: question) {
      try await prompt.authorize(principal, answering: typed)
    }
  }

  /// Calls a guard, notes its error for ``withRefusals(_:)``, and locates an error of the library's own.
  private static func guarding(
    _ kind: Refusal.Kind, by prompt: any Prompt.Type, in question: Question, _ check: () async throws -> Void
  ) async throws {
    do { try await check() } catch let error as FlowError {
      throw error.located(in: question.id.flow, at: question.step)
    } catch {
      GuardNotes.note(kind, of: prompt, error)
      throw error
    }
  }
}

// MARK: - Asking

extension FlowCoordinator: StepRuntime {
  nonisolated var flow: FlowID { id }
  nonisolated var trace: TraceContext { settings.persistence?.trace ?? TraceContext() }

  /// Asks an ordinary question. Separate from questions with a deadline or reminders, because every flow that waits for
  /// an answer pays in memory for what this function holds meanwhile.
  nonisolated func ask<P: Prompt>(_ prompt: P, key: String?, at stay: Stay) async throws -> P.Answer {
    try Self.typed(try await answer(to: prompt, key: key, at: stay), as: P.Answer.self)
  }

  nonisolated func answer(to prompt: any Prompt, key: String?, at stay: Stay) async throws -> any Sendable {
    let cell = OneShot()
    let number = try await question(prompt, key: key, at: stay, cell)
    do { return try await cell.value() } catch {
      // The step has cancelled the child task that asked: the question has no asker any more.
      if let number { await withdraw(number, on: stay.track) }
      throw error
    }
  }

  nonisolated func reply<P: Prompt>(to prompt: P, key: String?, at stay: Stay) async throws -> Reply<P.Answer> {
    try settings.persistence?.refuse("reply(to:)", of: id)
    if Task.isCancelled { try await passOver(prompt, key: key, at: stay) }
    let cell = OneShot()
    switch try await open(prompt, key: key, at: stay, cell, nil, wantsReply: true) {
    case .answered(let replied): return try reply(replied)
    // Waits until the step gives the question up again.
    case .withdrawn, .overdue: return try reply(try await cell.value())
    case .opened(let question):
      do { return try reply(try await cell.value()) } catch {
        await withdraw(question.id.number, on: stay.track)
        throw error
      }
    }
  }

  /// Returns the reply for an asker that was given a ``Replied``.
  nonisolated func reply<Answer: Sendable>(_ value: any Sendable) throws -> Reply<Answer> {
    let replied = try Self.typed(value, as: Replied.self)
    return Reply(
      answer: try Self.typed(replied.answer, as: Answer.self), by: replied.facts.principal,
      at: FlowTime(sinceStart: replied.facts.time, start: settings.persistence?.start),
      revision: replied.facts.revision, question: replied.question)
  }

  /// Opens a question, and returns its number; `nil` if there will be nothing to withdraw.
  @inline(never)
  private nonisolated func question(_ prompt: any Prompt, key: String?, at stay: Stay, _ cell: OneShot) async throws
    -> Int?
  {
    if Task.isCancelled { try await passOver(prompt, key: key, at: stay) }
    let asker = replays ? try await asker(of: prompt, at: stay) : nil
    return try await decide(on: stay.track, waiter: cell) { machine, stopwatch in
      let asked = try machine.ask(
        prompt, key: key, visit: stay.visit, on: stay.track, persisted: asker?.persisted,
        by: asker?.task ?? .unknown, at: stopwatch.elapsed())
      switch asked {
      case .answered(let answer): cell.fulfil(.success(answer))
      case .withdrawn, .overdue: break  // waits until the step gives the question up again
      case .opened(let question): return question.id.number
      }
      return nil
    }
  }

  /// The part of a question that only replayed visits have. A class, because the frame of every asking step would have
  /// room for it.
  final class ReplayedAsker: Sendable {
    let persisted: FlowMachine.PersistedPrompt?
    let task: CallingTask

    init(_ persisted: FlowMachine.PersistedPrompt?, _ task: CallingTask) {
      (self.persisted, self.task) = (persisted, task)
    }
  }

  nonisolated func asker(of prompt: any Prompt, at stay: Stay) async throws -> ReplayedAsker {
    let persisted = !isPersisted ? nil : try await persisted(prompt, at: stay)
    return ReplayedAsker(persisted, await callingTask(at: stay))
  }

  nonisolated func open<P: Prompt>(_ prompt: P, key: String?, at stay: Stay) async throws -> PendingAnswer<P.Answer> {
    if Task.isCancelled { try await passOver(prompt, key: key, at: stay) }
    let cell = OneShot()
    switch try await open(prompt, key: key, at: stay, cell, nil) {
    case .answered(let answer):
      let typed = try Self.typed(answer, as: P.Answer.self)
      return PendingAnswer { typed }
    case .withdrawn, .overdue:
      // Waits until the step gives the question up again.
      return PendingAnswer { try Self.typed(try await cell.value(), as: P.Answer.self) }
    case .opened(let question):
      return PendingAnswer {
        do {
          return try Self.typed(try await cell.value(), as: P.Answer.self)
        } catch {
          // The step has cancelled the child task that asked: the question has no asker any more.
          await self.withdraw(question.id.number, on: stay.track)
          throw error
        }
      }
    }
  }

  private nonisolated func open<P: Prompt>(
    _ prompt: P, key: String?, at stay: Stay, _ cell: OneShot, _ deadline: AskDeadline?, wantsReply: Bool = false
  ) async throws -> FlowMachine.Asked {
    let asker = replays ? try await asker(of: prompt, at: stay) : nil
    return try await decide(on: stay.track, waiter: cell) { machine, stopwatch in
      try machine.ask(
        prompt, key: key, visit: stay.visit, on: stay.track, within: deadline, wantsReply: wantsReply,
        persisted: asker?.persisted, by: asker?.task ?? .unknown, at: stopwatch.elapsed())
    }
  }

  /// Handles a question of a cancelled task. Returns only if the visit is replayed and the answer is known.
  @inline(never)
  private nonisolated func passOver(_ prompt: any Prompt, key: String?, at stay: Stay, hasLimit: Bool = false)
    async throws
  {
    let caller = await callingTask(at: stay)
    try await passOver(at: stay) {
      try $0.passOver(prompt, key: key, visit: stay.visit, on: stay.track, hasLimit: hasLimit, by: caller)
    }
  }

  /// Handles a question or a wait of a cancelled task. In a replay the cancellation may come sooner or later than the
  /// first time, and everything after it must still get the same keys.
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

  private func isOpen(_ question: Int, on track: TrackID) -> Bool {
    withState { $0.machine.isOpen(question, on: track) }
  }

  /// - Parameter isCancelled: Whether the asker was cancelled; false if its reminder threw.
  @inline(never)
  nonisolated func withdraw(_ question: Int, on track: TrackID, isCancelled: Bool = true) async {
    // Usually the end of the waiting has closed the question, and there is nothing to decide.
    if await !isOpen(question, on: track) { return }
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
        await withdraw(question.id.number, on: stay.track)
        throw error
      }
    }
  }

  /// Runs a reminder. If it throws, the question is withdrawn, and the asker gets the error.
  private nonisolated func remind(_ number: Int, _ reminding: Reminding?, of question: Question, on track: TrackID)
    async throws
  {
    do { try await reminding?.remind(number) } catch {
      await withdraw(question.id.number, on: track, isCancelled: Task.isCancelled)
      throw error
    }
  }

  nonisolated func update<P: Prompt>(_ prompt: P, at stay: Stay) async throws {
    let persisted = !isPersisted ? nil : try await persisted(prompt, of: step(of: stay))
    let caller = await callingTask(at: stay)
    while true {
      let unasked = try await decide(on: stay.track) { machine, _ in
        try machine.update(prompt, visit: stay.visit, on: stay.track, persisted: persisted, by: caller)
      }
      guard let unasked else { return }
      try await reopened(unasked)
    }
  }

  func step(of stay: Stay) -> StepID? { withState { $0.machine.visit(of: stay.track)?.info.id } }

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
