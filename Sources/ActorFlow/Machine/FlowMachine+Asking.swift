/// The question a visit has open.
package struct Asking: Sendable {
  package internal(set) var question: Question
  /// The answer's name in the journal; nil if nobody will ask for it.
  let key: JournalKey?
}

// Questions and their answers.
extension FlowMachine {
  package enum Asked: Sendable {
    /// The visit is replayed, and this was answered before.
    case answered(any Sendable)
    /// The visit is replayed, and the step gave this question up before.
    case withdrawn
    case opened(Question, NavigationEvent)
  }

  /// A step asks. `name` names the answer in the journal; without one it is the prompt's type and how many of that type
  /// this attempt has asked.
  ///
  /// - Throws: `CancellationError` while the visit is being left, else a `FlowError`.
  package mutating func ask(_ prompt: any Prompt, key name: String?, visit: VisitID) throws -> Asked {
    let place = try activePlace(of: visit, to: "ask")
    let key = try journalKey(of: prompt, named: name, at: place)
    if let key, let entry = focus.memory?.answers[key] {
      focus.attempt.count(key)
      return switch entry {
      case .answered(let answer): .answered(answer)
      case .withdrawn: .withdrawn
      }
    }
    guard asking == nil else {
      throw error(
        .alreadyAsking, "this visit already has an open question; wait for its answer first", step: place.node.info.id)
    }
    numbers.question += 1
    let question = Question(
      id: Question.ID(flow: flow, run: run, number: numbers.question), step: place.node.info.id, visit: visit,
      prompt: prompt, revision: 1)
    asking = Asking(question: question, key: key)
    focus.hasAsked = true
    if journal == .reloading, let key { focus.attempt.count(key) }
    return .opened(question, publish(.asked(question)))
  }

  /// The key of the question asked next. Nil: nothing is replayed, and nobody chose a name.
  ///
  /// A name that was answered in this attempt is refused; in an attempt that replays, the first use of it is not.
  private func journalKey(of prompt: any Prompt, named name: String?, at place: Place) throws -> JournalKey? {
    guard let name else {
      return journal == .reloading ? focus.attempt.nextKey(.type("\(type(of: prompt))")) : nil
    }
    let key = focus.attempt.nextKey(.given(name))
    // Where nothing is replayed nothing is counted, and an answer refuses every further use of its name.
    let earlier = journal == .reloading ? JournalKey(name: key.name, number: key.number - 1) : key
    guard case .answered? = focus.memory?.answers[earlier] else { return key }
    throw error(
      .duplicateKey, "this visit already has an answer under the key \"\(name)\"; one key, one answer",
      step: place.node.info.id)
  }

  /// A step replaces what its open question shows.
  package mutating func update<P: Prompt>(_ prompt: P, visit: VisitID) throws -> NavigationEvent {
    let place = try activePlace(of: visit, to: "update")
    guard var asking else {
      throw error(
        .notActive, "no question of this visit is open, so there is nothing to update", step: place.node.info.id)
    }
    let old = asking.question
    guard old.prompt is P else {
      throw error(
        .wrongPromptType, "the open question shows a \(type(of: old.prompt)); it cannot become a \(P.self)",
        step: place.node.info.id)
    }
    asking.question = Question(
      id: old.id, step: old.step, visit: old.visit, prompt: prompt, revision: old.revision + 1)
    discard(old)
    self.asking = asking
    return publish(.updated(asking.question))
  }

  /// The asker gave up. Nil if the question was closed already.
  package mutating func withdraw(_ question: Question.ID) -> NavigationEvent? {
    guard phase == .walking, let asking, asking.question.id == question else { return nil }
    if journal == .reloading, let key = asking.key { remember(.withdrawn, as: key) }
    closeQuestion()
    return publish(.withdrawn(question))
  }

  /// The open question of this id, or why there is none.
  package func openQuestion(_ id: Question.ID) throws(FlowError) -> Question {
    try requireRun()
    if let question = asking?.question, question.id == id { return question }
    guard id.flow == flow, id.run <= run, id.number <= numbers.question, id.number > 0, id.run > 0 else {
      throw error(.noSuchQuestion, "this flow never asked a question \(id)")
    }
    throw error(.questionClosed, "question \(id) was answered or withdrawn, or its step was left")
  }

  /// The one open question that shows a `P`, or why there is none.
  package func openQuestion<P: Prompt>(of type: P.Type) throws(FlowError) -> Question {
    try requireRun()
    guard let question = asking?.question, question.prompt is P else {
      throw error(.noSuchQuestion, "no question with a \(P.self) is open")
    }
    return question
  }

  /// An answer that was found valid for what the question shows now.
  ///
  /// - Returns: `reloads`: the walk is to be cancelled, and the asker gets the answer by replay.
  package mutating func answer(
    _ id: Question.ID, with answer: any Sendable, by principal: Principal?
  ) throws(FlowError) -> (event: NavigationEvent, reloads: Bool) {
    _ = try openQuestion(id)
    let reloads = journal == .reloading
    if let key = asking?.key { remember(.answered(reloads ? answer : ()), as: key) }
    closeQuestion()
    if reloads {
      leave = Leave(goal: .reload, visit: stack, since: .zero)
      phase = .leaving
    }
    return (publish(.answered(id, by: principal)), reloads)
  }

  private mutating func remember(_ entry: JournalEntry, as key: JournalKey) {
    if focus.memory == nil { focus.memory = PlaceMemory() }
    focus.memory?.answers[key] = entry
  }

  mutating func closeQuestion() {
    guard let asking else { return }
    discard(asking)
    self.asking = nil
  }

  /// The place of a visit whose step runs. Throws `CancellationError` if it is being left, `notActive` if it is over.
  func activePlace(of visit: VisitID, to verb: String) throws -> Place {
    guard let place = top, place.visit.id == visit, !focus.hasReturned else {
      throw error(.notActive, "the visit that this context belongs to has ended; it can no longer \(verb)")
    }
    switch phase {
    case .walking: return place
    case .leaving: throw CancellationError()
    case .idle, .compensating, .ended:
      throw error(
        .notActive, "the visit that this context belongs to has ended; it can no longer \(verb)",
        step: place.node.info.id)
    }
  }
}
