import Synchronization

// Questions: the answerer's side.
extension FlowCoordinator {
  /// Checks an answer in the caller's task and hands it to the asker.
  nonisolated func checkAndAccept<A: Sendable>(
    _ answer: A, for id: Question.ID, by principal: Principal?, revision: Int?
  ) async throws {
    var (question, receiver) = try await openQuestion(takingActions: id)
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
        case let outcome: throw await refusal(for: outcome, of: question)
        }
      } else {
        guard let changed = try await accept(answer, for: question, by: principal) else { return }
        question = changed
      }
    }
  }

  /// What a question shows now, for another attempt.
  private nonisolated func question(
    _ id: Question.ID, for attempt: ActionAttempt, of receiver: any ActionReceiver
  ) async throws -> Question {
    do { return try await openQuestion(id) } catch {
      await receiver.giveUp(attempt)
      throw error
    }
  }

  private func openQuestion(
    takingActions id: Question.ID
  ) throws -> (question: Question, receiver: (any ActionReceiver)?) {
    try machine.openQuestion(takingActions: id)
  }

  /// Takes the asker's cell in the turn in which the machine accepts: an asker that has given up makes the question
  /// closed even before the machine hears of it, and one whose answer is accepted can no longer give up.
  ///
  /// - Returns: The question as it is now, if it changed since it was validated; nil if the answer was accepted.
  private nonisolated func accept(
    _ answer: any Sendable, for question: Question, by principal: Principal?
  ) async throws -> Question? {
    let (asker, track) = await asker(of: question.id)
    let isTaken = Atomic<Bool>(false)
    do {
      return try await decide(on: track) { [id] machine, stopwatch in
        let now = try machine.openQuestion(question.id)
        guard now.revision == question.revision else { return now }
        guard let asker, asker.take() else {
          throw FlowError(
            .questionClosed, "question \(question.id.debugDescription) no longer waits for an answer", flow: id)
        }
        isTaken.store(true, ordering: .relaxed)
        try machine.answer(question.id, with: answer, by: principal, at: stopwatch.elapsed())
        return nil
      }
    } catch {
      if isTaken.load(ordering: .relaxed) { asker?.giveBack() }
      throw error
    }
  }

  private func asker(of question: Question.ID) -> (OneShot?, TrackID) {
    guard let track = machine.asker(of: question) else { return (nil, .main) }
    return (self[track].asker, track)
  }

  private nonisolated func check(_ revision: Int?, against question: Question) throws {
    guard let revision, revision != question.revision else { return }
    throw FlowError(
      .staleRevision,
      "the answer is for revision \(revision); the question now shows revision \(question.revision)",
      flow: id, step: question.step)
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
