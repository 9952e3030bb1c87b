// Which questions are open.
extension FlowMachine {
  /// The open question of this id, or why there is none.
  package func openQuestion(_ id: Question.ID) throws(FlowError) -> Question {
    guard let track = openTrack(of: id), let question = look(at: track, { $0.asking?.question }) else {
      throw refusal(of: id)
    }
    return question
  }

  /// The open question of this id, and who takes its answers if it stays open.
  package func openQuestion(
    takingActions id: Question.ID
  ) throws(FlowError) -> (question: Question, receiver: (any ActionReceiver)?) {
    guard let track = openTrack(of: id),
      let found = look(at: track, { track in track.asking.map { (question: $0.question, receiver: $0.receiver) } })
    else { throw refusal(of: id) }
    return found
  }

  /// The track that asks this question, or did when the machine was put away; or why there is none.
  func track(asking id: Question.ID) throws(FlowError) -> TrackID {
    guard let track = openTrack(of: id) ?? track(reopening: id) else { throw refusal(of: id) }
    return track
  }

  /// The track that asks this question, during a run.
  func openTrack(of id: Question.ID) -> TrackID? {
    phase == .idle || phase == .ended ? nil : asker(of: id)
  }

  /// Why a question is not open. Beside ``openTrack(of:)``: of a call that may throw the caller, who changes the machine
  /// later on, would be given a copy of the machine.
  @inline(never)
  func refusal(of id: Question.ID) -> FlowError {
    do { try requireRun() } catch { return error }
    let name = id.debugDescription
    guard id.flow == flow, id.run <= run, id.number <= numbers.question, id.number > 0, id.run > 0, !isForged(id) else {
      return error(.noSuchQuestion, "this flow never asked a question \(name)")
    }
    return error(.questionClosed, "question \(name) was answered or withdrawn, or its step was left")
  }

  /// Whether an id has a token that its question cannot have.
  ///
  /// The tokens of closed questions are not stored, so a guessed token of a closed question is refused as a right one is.
  /// A caller without the right token learns from that only that the number is not open any more.
  private func isForged(_ id: Question.ID) -> Bool {
    // Every question of a kept flow has a token, and no other one has.
    if (id.token == nil) == (journal == .persisting) { return true }
    return persistedQuestions.contains { $0.number == id.number && $0 != id }
  }

  /// The track that asks this question.
  package func asker(of id: Question.ID) -> TrackID? {
    if main.asks(id) { return .main }
    guard let track = askers[id.number], look(at: track, { $0.asks(id) }) else { return nil }
    return track
  }

  /// Whether this question may still be answered or withdrawn.
  func isOpen(_ id: Question.ID, on track: TrackID) -> Bool {
    look(at: track) { $0.phase == .walking && $0.asks(id) }
  }

  /// The one open question that shows a `P`, or why there is none.
  package func openQuestion<P: Prompt>(of type: P.Type) throws(FlowError) -> Question {
    try requireRun()
    let open = leaves.compactMap { self[$0].asking?.question }.filter { $0.prompt is P }
    guard let question = open.first else {
      throw error(.noSuchQuestion, "no question of type \(P.self) is open")
    }
    guard open.count == 1 else {
      let steps = open.map { "\($0.step)" }.joined(separator: ", ")
      throw error(
        .ambiguousQuestion, "\(open.count) questions of type \(P.self) are open, at \(steps); answer one by its id")
    }
    return question
  }
}

extension Track {
  fileprivate func asks(_ id: Question.ID) -> Bool { asking?.question.isNamed(id) ?? false }
}
