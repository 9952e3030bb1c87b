// Renderings: the side of the step that shows them, and of those who answer.
extension FlowCore {
  var commits: Bool { commit != nil }

  func keptRendering(at stay: Stay) throws -> KeptRendering? {
    guard let codec else { return nil }
    let kept = try withState { try $0.machine.keptRendering(of: stay.visit, on: stay.track) }
    return KeptRendering(codec: codec, tree: kept.tree, output: kept.output, isSameVisit: kept.isReplay)
  }

  func show(
    _ rendering: any Prompt, _ tree: RenderKeeping?, to receiver: any ActionReceiver, at stay: Stay
  ) async throws -> Question {
    let keeping = !isKept ? nil : try keeping(rendering, of: step(of: stay))
    return try await decide(on: stay.track) { machine in
      let shown = try machine.show(
        rendering, to: receiver, visit: stay.visit, on: stay.track, keeping: keeping, tree: tree, at: elapsed)
      return Decision(shown.question, event: shown.event)
    }
  }

  func rerender(_ rendering: any Prompt, _ tree: RenderKeeping?, at stay: Stay, isAnswer: Bool) async throws {
    let keeping = !isKept ? nil : try keeping(rendering, of: step(of: stay))
    try await decide(on: stay.track) { machine in
      // Another commit may have taken its time meanwhile.
      if isAnswer, commits, let refusal = machine.lateness(on: stay.track, at: elapsed) { throw refusal }
      return Decision(
        (),
        event: try machine.rerender(
          rendering, visit: stay.visit, on: stay.track, isAnswer: isAnswer, keeping: keeping, tree: tree,
          at: elapsed))
    }
  }

  func refuseLate(_ question: Question.ID) throws {
    let refusal = withState { state in
      state.machine.asker(of: question).flatMap { state.machine.lateness(on: $0, at: elapsed) }
    }
    if let refusal { throw refusal }
  }

  /// Only readers of events wait for a rendering, so less is looked at than in ``decide(on:commits:evenParked:_:)``.
  func rerenderNow(_ rendering: any Prompt, at stay: Stay, isAnswer: Bool) throws {
    var old: LogEntry?
    var readers: EventLog.Wake?
    var garbage: [any Sendable] = []
    let movesTimer = try withState { state in
      let event = try state.machine.rerender(
        rendering, visit: stay.visit, on: stay.track, isAnswer: isAnswer, at: elapsed)
      old = state.log.append(event.entry)
      readers = state.log.takeWaiting()
      garbage = state.machine.takeDiscarded()
      return state.timerIsLate
    }
    readers?.passOn()
    if movesTimer { setTimer() }
    _ = (consume garbage, consume old)  // released here, outside the lock
  }

  func acknowledge(_ tree: RenderKeeping?, at stay: Stay, isAnswer: Bool) async throws {
    try await decide(on: stay.track, commits: tree != nil) { machine in
      if isAnswer, commits, let refusal = machine.lateness(on: stay.track, at: elapsed) { throw refusal }
      return Decision(
        try machine.acknowledge(visit: stay.visit, on: stay.track, isAnswer: isAnswer, tree: tree, at: elapsed))
    }
  }

  func hide(at stay: Stay) async {
    _ = try? await decide(on: stay.track) { Decision((), event: $0.hide(visit: stay.visit, on: stay.track)) }
  }

  /// What an answerer is told of an action that was not applied, or that made the step fail.
  func refusal(for outcome: ActionOutcome, of question: Question) -> any Error {
    switch outcome {
    case .refused(let error): error
    case .failed(let error): closed(question, "has failed with this action", [error])
    case .applied, .changed, .closed: closedNow(question)
    }
  }

  /// What the machine says of a question that has closed, if it says anything: the flow may have ended.
  private func closedNow(_ question: Question) -> any Error {
    do { _ = try withState { try $0.machine.openQuestion(question.id) } } catch { return error }
    return closed(question, "takes no actions any more", [])
  }

  private func closed(_ question: Question, _ why: String, _ errors: [any Error]) -> FlowError {
    FlowError(
      .questionClosed, "the step that shows \(question.id.debugDescription) \(why)", flow: flow, step: question.step,
      underlying: errors)
  }
}
