// Renderings: the side of the steps that show them, and the side of the answerers.
extension FlowCoordinator {
  nonisolated var isCommitting: Bool { commit != nil }

  func persistedRendering(at stay: Stay) throws -> PersistedRendering? {
    guard let codec else { return nil }
    let kept = try withState { try $0.machine.persistedRendering(of: stay.visit, on: stay.track) }
    return PersistedRendering(codec: codec, tree: kept.tree, output: kept.output, isSameVisit: kept.isReplay)
  }

  // Not inlined, so that the frames of their callers, which every flow that shows a rendering has, stay small.
  @inline(never)
  nonisolated func show(
    _ rendering: any Prompt, _ tree: RenderPersistence?, to receiver: any ActionReceiver, at stay: Stay
  ) async throws -> Question {
    let persisted = !isPersisted ? nil : try await persisted(rendering, of: step(of: stay))
    return try await decide(on: stay.track) { machine, stopwatch in
      try machine.show(
        rendering, to: receiver, visit: stay.visit, on: stay.track, persisted: persisted, tree: tree,
        at: stopwatch.elapsed())
    }
  }

  @inline(never)
  nonisolated func rerender(
    _ rendering: any Prompt, _ tree: RenderPersistence?, at stay: Stay, origin: ActionOrigin, cause: (any CommitCause)?
  ) async throws {
    let persisted = !isPersisted ? nil : try await persisted(rendering, of: step(of: stay))
    let looksAgain = origin.isAnswer && isCommitting
    try await decide(on: stay.track, cause: cause) { machine, stopwatch in
      // The deadline may have passed while this waited for another commit.
      if looksAgain, let refusal = machine.lateness(on: stay.track, at: stopwatch.elapsed()) { throw refusal }
      try machine.rerender(
        rendering, visit: stay.visit, on: stay.track, origin: origin, persisted: persisted, tree: tree,
        at: stopwatch.elapsed())
    }
  }

  func refuseLate(_ question: Question.ID) throws {
    try withState { state in
      guard let track = state.machine.asker(of: question) else { return }
      if let refusal = state.machine.lateness(on: track, at: state.stopwatch.elapsed()) { throw refusal }
    }
  }

  @inline(never)
  nonisolated func acknowledge(
    _ tree: RenderPersistence?, at stay: Stay, origin: ActionOrigin, cause: (any CommitCause)?
  ) async throws {
    let looksAgain = origin.isAnswer && isCommitting
    try await decide(on: stay.track, cause: cause) { machine, stopwatch in
      if looksAgain, let refusal = machine.lateness(on: stay.track, at: stopwatch.elapsed()) { throw refusal }
      try machine.acknowledge(
        visit: stay.visit, on: stay.track, origin: origin, tree: tree, at: stopwatch.elapsed())
    }
  }

  @inline(never)
  nonisolated func hide(at stay: Stay, cause: (any CommitCause)?) async {
    _ = try? await decide(on: stay.track, cause: cause) { machine, _ in
      machine.hide(visit: stay.visit, on: stay.track)
    }
  }

  /// Returns the error for an answerer whose action was not applied or made the step fail.
  func refusal(for outcome: ActionOutcome, of question: Question) -> any Error {
    switch outcome {
    case .refused(let error): error
    case .failed(let error): closed(question, "has failed with this action", [error])
    case .applied, .changed, .closed: closedNow(question)
    }
  }

  /// Returns the machine's reason that a question is closed, if it has one: the flow may have ended.
  private func closedNow(_ question: Question) -> any Error {
    do { _ = try openQuestion(question.id) } catch { return error }
    return closed(question, "no longer takes actions", [])
  }

  private func closed(_ question: Question, _ why: String, _ errors: [any Error]) -> FlowError {
    FlowError(
      .questionClosed, "the step that shows \(question.id.debugDescription) \(why)", flow: id, step: question.step,
      underlying: errors
    ).listing(withState { $0.machine.questionsToAnswer(at: $0.stopwatch.elapsed(), besides: question.id) })
  }
}
