// Questions: the answerer's side.
extension FlowCore {
  /// Checks an answer in the caller's task and hands it to the asker.
  func answer<A: Sendable>(
    _ id: Question.ID, with answer: A, by principal: Principal?, revision: Int?
  ) async throws {
    var (question, receiver) = try withState { try $0.machine.openQuestion(takingActions: id) }
    var attempt = ActionAttempt.first
    while true {
      do {
        try check(revision, against: question)
        try await Self.validate(answer, for: question.prompt, by: principal, in: question)
      } catch {
        if attempt.claim != nil { await receiver?.giveUp(attempt) }
        throw error
      }
      // The world may have changed: the question may be closed, or show something else.
      if let receiver {
        switch await receiver.receive(answer, to: question, attempt: attempt) {
        case .applied: return
        case .changed(let next):
          attempt = next
          question = try await self.question(id, for: attempt, of: receiver)
        case let outcome: throw refusal(for: outcome, of: question)
        }
      } else {
        guard let changed = try await accept(answer, for: question, by: principal) else { return }
        question = changed
      }
    }
  }

  /// What a question shows now, for another attempt.
  private func question(
    _ id: Question.ID, for attempt: ActionAttempt, of receiver: any ActionReceiver
  ) async throws -> Question {
    do { return try withState { try $0.machine.openQuestion(id) } } catch {
      await receiver.giveUp(attempt)
      throw error
    }
  }

  /// Answers the one open question that shows a `P`.
  func answer<P: Prompt>(_ prompt: P.Type, with answer: P.Answer, by principal: Principal?) async throws {
    let id = try withState { try $0.machine.openQuestion(of: prompt).id }
    try await self.answer(id, with: answer, by: principal, revision: nil)
  }

  /// Takes the asker's cell in the turn in which the machine accepts: an asker that has given up makes the question
  /// closed even before the machine hears of it, and one whose answer is accepted can no longer give up.
  ///
  /// - Returns: The question as it is now, if it changed since it was validated; nil if the answer was accepted.
  private func accept(
    _ answer: any Sendable, for question: Question, by principal: Principal?
  ) async throws -> Question? {
    let (cell, track) = withState { state -> (Cell?, TrackID) in
      guard let track = state.machine.asker(of: question.id) else { return (nil, .main) }
      return (state.with(track) { $0.asker }, track)
    }
    var isTaken = false
    do {
      return try await decide(on: track) { machine in
        let now = try machine.openQuestion(question.id)
        guard now.revision == question.revision else { return Decision(now) }
        guard let cell, cell.take() else {
          throw FlowError(
            .questionClosed, "nobody waits for the answer to \(question.id.debugDescription) any more", flow: flow)
        }
        isTaken = true
        let (event, reloads) = try machine.answer(question.id, with: answer, by: principal, at: elapsed)
        var decision = Decision<Question?>(nil, event: event)
        decision.cancelsWalk = reloads
        decision.errand = .answer(reloads ? .cancelled : .success(answer))
        return decision
      }
    } catch {
      if isTaken { cell?.giveBack() }
      throw error
    }
  }

  private func check(_ revision: Int?, against question: Question) throws {
    guard let revision, revision != question.revision else { return }
    throw FlowError(
      .staleRevision,
      "the answer is for revision \(revision); the question now shows revision \(question.revision)",
      flow: flow, step: question.step)
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
    do { try await prompt.authorize(principal) } catch let error as FlowError {
      throw error.located(in: question.id.flow, at: question.step)
    }
    try await prompt.validate(typed)
  }
}
