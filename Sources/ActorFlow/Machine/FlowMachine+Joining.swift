// An answer and the next question as one decision. Both belong to steps that do nothing but ask, so no code of a step
// acts on the answer in between.
extension FlowMachine {
  /// The part of a joint decision that follows the answer.
  package struct JointQuestion: Sendable {
    let move: Reaction
    let question: Reaction

    var events: [LogEntry] { move.events + question.events }
  }

  /// Moves from a step that only asks to the next one, and opens its question.
  ///
  /// Runs the user's closures between the two steps, in the calling task. If there is more between them, or one of the
  /// closures throws, or the question cannot be opened, the machine is of no use any more: go on with a copy.
  ///
  /// - Parameters:
  ///   - answer: The reaction to the answer.
  ///   - persist: Returns the persistent form of a prompt of a step.
  /// - Returns: `nil` if the answer is to be committed alone.
  package mutating func askNext(
    after answer: borrowing Reaction, on track: TrackID, at now: Duration,
    persist: (any Prompt, StepID) throws -> PersistedPrompt?
  ) -> JointQuestion? {
    guard answer.firstEvent == nil, let output = answer.answer(on: track), let place = top(of: track),
      let question = place.node.body.question
    else { return nil }
    do {
      var payload = place.payload.with(try question.typed(output))
      guard case .step(let node) = try graph.advance(from: place.node.address + 1, &payload),
        let prompt = try node.body.question?.prompt(payload.value) as? any Prompt
      else { return nil }
      let backUp = try node.backUp(for: payload.value)
      let (move, moved) = react { [payload] machine in
        machine.move(
          to: node, instance: nil, payload: payload, backUp: backUp, on: track,
          watching: payload.scopes !== place.payload.scopes, at: now)
      }
      guard case .entered(let next) = move else { return nil }
      let persisted = try persist(prompt, next.visit.info.id)
      let (asked, asking) = try react { machine in
        try machine.ask(
          prompt, key: nil, visit: next.visit.id, on: track, persisted: persisted, by: .step, at: now)
      }
      guard case .opened = asked else { return nil }
      return JointQuestion(move: moved, question: asking)
    } catch { return nil }
  }
}

extension Reaction {
  /// The answer that an asker on this track is to be resumed with; `nil` if there is none.
  fileprivate func answer(on track: TrackID) -> (any Sendable)? {
    for case .resumeAsker(track, .success(let answer)) in actions { return answer }
    return nil
  }

  /// Lets the asker of a track wait on, because the next question is already open.
  package mutating func keepAsker(on track: TrackID) {
    actions.removeAll { action in
      switch action {
      case .resumeAsker(track, _): true
      default: false
      }
    }
  }
}
