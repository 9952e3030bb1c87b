/// What a step had open when its machine was put away. The step runs once more, and comes to ask for it again: then the
/// question is the same one, and its time goes on.
final class Reopening: Sendable {
  let question: PackedQuestion?
  let waits: [PackedWait]
  /// How many updates of the question have come again before the question.
  let updates: Int
  /// The keys of those that child tasks of the step had open: no other task comes for them, and a child that is cancelled
  /// sooner than the first time may not come either.
  let ofChildren: Set<JournalKey>

  init(question: PackedQuestion?, waits: [PackedWait], updates: Int = 0, ofChildren: Set<JournalKey> = []) {
    (self.question, self.waits, self.updates, self.ofChildren) = (question, waits, updates, ofChildren)
  }

  /// Whether a child task had the question open.
  var isQuestionOfChild: Bool { question?.key.map { ofChildren.contains($0) } ?? false }

  func wait(_ key: JournalKey, for signal: String) -> PackedWait? {
    waits.first { $0.key == key && $0.signal == signal }
  }

  /// What is left of it without the question, and without the wait of this number; nil if that is nothing.
  func without(question isQuestion: Bool = false, wait number: Int? = nil) -> Reopening? {
    let rest = Reopening(
      question: isQuestion ? nil : question, waits: waits.filter { $0.number != number }, updates: updates,
      ofChildren: ofChildren)
    return rest.question == nil && rest.waits.isEmpty ? nil : rest
  }
}

/// A prompt as it is kept, packed once however often the machine is committed.
package final class PackedPrompt: Sendable {
  let value: PackedValue

  package init(_ value: PackedValue) {
    self.value = value
  }

  /// Tells it from others.
  var digest: UInt64 { Checksum.of(value.bytes[...]) }
}

extension FlowMachine {
  /// The question that was open when the machine was put away, if it is this one. If the step asks another one first, it
  /// has changed its mind, and the old one is closed.
  ///
  /// - Returns: With it, how many of its updates have come again already.
  mutating func takeReopening(_ key: JournalKey?, on track: TrackID) -> (PackedQuestion?, updates: Int) {
    guard let reopening = look(at: track, { $0.reopening }), let question = reopening.question else { return (nil, 0) }
    self[track].reopening = reopening.without(question: true)
    timers.mayCount()
    if question.key == key { return (question, reopening.updates) }
    closeReopening(question, wasOfChild: reopening.isQuestionOfChild, on: track)
    return (nil, 0)
  }

  /// Another question is asked instead of one that was open when the machine was put away: whoever had asked that does not
  /// come any more. A child has been cancelled sooner than the first time.
  private mutating func closeReopening(_ question: PackedQuestion, wasOfChild: Bool, on track: TrackID) {
    timers.drop(question: question.number, on: track)
    self[track].forgetAsker()
    if wasOfChild, let key = question.key { remember(.withdrawn, as: key, on: track) }
  }

  /// Whether the step's own task comes with the key of what a child had open when the machine was put away. A question of
  /// the child's is closed then: had it been open, no other could have been asked.
  mutating func passesOverReopening(_ key: JournalKey, on track: TrackID) -> Bool {
    guard let reopening = look(at: track, { $0.reopening }), reopening.ofChildren.contains(key) else { return false }
    guard let question = reopening.question, question.key == key else {
      return reopening.waits.contains { $0.key == key }
    }
    self[track].reopening = reopening.without(question: true)
    closeReopening(question, wasOfChild: true, on: track)
    return true
  }

  /// The step's own task begins something new. A child that has not come back by now for what it had open has been
  /// cancelled sooner than the first time, before it could: that counts as given up. If the child comes all the same, it
  /// begins anew.
  mutating func presumeChildrenGone(on track: TrackID) {
    guard let reopening = look(at: track, { $0.reopening }), !reopening.ofChildren.isEmpty else { return }
    var rest: Reopening? = reopening
    if let question = reopening.question, let key = question.key, reopening.ofChildren.contains(key) {
      rest = rest?.without(question: true)
      closeReopening(question, wasOfChild: true, on: track)
      self[track].focus.attempt.presumeGivenUp(key)
    }
    for wait in reopening.waits where reopening.ofChildren.contains(wait.key) {
      rest = rest?.without(wait: wait.number)
      timers.dropWait(wait.number)
      self[track].forgetAsker()
      remember(.withdrawn, as: wait.key, on: track)
      self[track].focus.attempt.presumeGivenUp(wait.key)
    }
    self[track].reopening = rest
  }

  /// Whether an update is one that was made before, of a question that is still to be asked again: the step's tasks may
  /// come back in another order.
  mutating func replayBeforeAsking(_ digest: UInt64, on track: TrackID) -> Bool {
    guard let reopening = look(at: track, { $0.reopening }), let question = reopening.question,
      question.updates.dropFirst(reopening.updates + 1).first == digest
    else { return false }
    self[track].reopening = Reopening(
      question: question, waits: reopening.waits, updates: reopening.updates + 1, ofChildren: reopening.ofChildren)
    return true
  }

  mutating func takeReopening(wait key: JournalKey, for signal: String, on track: TrackID) -> PackedWait? {
    guard let reopening = look(at: track, { $0.reopening }), let wait = reopening.wait(key, for: signal) else {
      return nil
    }
    self[track].reopening = reopening.without(wait: wait.number)
    return wait
  }

  /// Whether a question of this number was open when the machine was put away, and has not been asked again.
  package func isReopening(_ question: Question.ID) -> Bool {
    main.isReopening(question) || branches.contains { $0.isReopening(question) }
  }

  /// The track that asked this question when the machine was put away, and has not asked it again.
  func track(reopening question: Question.ID) -> TrackID? {
    guard question.flow == flow, question.run == run, isReopening(question) else { return nil }
    return ([.main] + descendants(of: .main)).first { look(at: $0) { $0.isReopening(question) } }
  }

  mutating func dropReopening(on track: TrackID, questions: Bool, waits: Bool) {
    guard let reopening = look(at: track, { $0.reopening }) else { return }
    if questions, let question = reopening.question { timers.drop(question: question.number, on: track) }
    if waits { for wait in reopening.waits { timers.dropWait(wait.number) } }
    let rest = Reopening(
      question: questions ? nil : reopening.question, waits: waits ? [] : reopening.waits, updates: reopening.updates,
      ofChildren: reopening.ofChildren)
    self[track].reopening = rest.question == nil && rest.waits.isEmpty ? nil : rest
  }

  /// The questions that are open, and those that were when the machine was put away.
  package var persistedQuestions: [Question.ID] {
    ([.main] + descendants(of: .main)).compactMap { track in
      if let asking = asking(on: track) { return asking.question.id }
      return reopening(on: track)?.question.map {
        Question.ID(flow: flow, run: run, number: $0.number, token: $0.token)
      }
    }
  }

  /// The walk goes on here although no step has been entered: whoever takes the flow up before one is does not do again
  /// what led here.
  package mutating func persistCursor(from address: Int, with payload: Payload, on track: TrackID) {
    if journal == .persisting { self[track].start = Start(.at(address: address, payload)) }
  }

  /// Writes down the update that a visit begins with. The step receives it again if its first attempt fails before it
  /// has received it, or if it is made anew in the same visit.
  mutating func remember(_ handover: Handover?, on track: TrackID) {
    if handover != nil, self[track].focus.memory == nil { self[track].focus.memory = PlaceMemory() }
    self[track].focus.memory?.handover = handover
  }

  /// A step further down was made anew, because somebody has something for it. It stays what it is until it is put away.
  ///
  /// - Returns: The step that stands there: another one, if two came for it at the same time; nil if it is gone.
  package mutating func remade(_ instance: StepInstance, at visit: VisitID, on track: TrackID) -> StepInstance? {
    guard let top = top(of: track) else { return nil }
    if let place = top.search({ $0.visit.id == visit ? true : nil })?.0 ?? (top.visit.id == visit ? top : nil),
      let earlier = place.instance
    {
      return earlier
    }
    guard let remade = top.remade(visit, as: instance) else { return nil }
    discard(top)
    self[track].top = remade
    return instance
  }
}

extension Track {
  fileprivate func isReopening(_ id: Question.ID) -> Bool {
    reopening?.question.map { $0.number == id.number && $0.token == id.token } ?? false
  }
}
