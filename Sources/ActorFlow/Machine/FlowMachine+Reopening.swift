/// The question and the waits that a step had open in the snapshot from which its flow was read back.
///
/// The step runs again and asks for them again. Each then keeps its identity, and its time limit goes on.
final class Reopening: Sendable {
  let question: PackedQuestion?
  let waits: [PackedWait]
  /// The number of the question's updates that the step has repeated before asking the question.
  let updates: Int
  /// The keys of the question and waits that child tasks had open. No other task asks for those, and a child may not
  /// either, if it is cancelled sooner than the first time.
  let ofChildren: Set<JournalKey>

  init(question: PackedQuestion?, waits: [PackedWait], updates: Int = 0, ofChildren: Set<JournalKey> = []) {
    (self.question, self.waits, self.updates, self.ofChildren) = (question, waits, updates, ofChildren)
  }

  /// Whether a child task had the question open.
  var isQuestionOfChild: Bool { question?.key.map { ofChildren.contains($0) } ?? false }

  func wait(_ key: JournalKey, for signal: String) -> PackedWait? {
    waits.first { $0.key == key && $0.signal.hasBytes(of: signal) }
  }

  /// Returns the same under another key.
  func renaming(_ old: JournalKey, to key: JournalKey) -> Reopening {
    guard var question, question.key == old else { return self }
    question.key = key
    var ofChildren = ofChildren
    if ofChildren.remove(old) != nil { ofChildren.insert(key) }
    return Reopening(question: question, waits: waits, updates: updates, ofChildren: ofChildren)
  }

  /// Returns the wait that is closed together with a question.
  func wait(pairedWith question: Int) -> PackedWait? { waits.first { $0.pairedQuestion == question } }

  /// Whether the task that waits is the asker of the question.
  func isPaired(_ wait: PackedWait) -> Bool {
    guard let paired = wait.pairedQuestion else { return false }
    return question?.number == paired
  }

  /// Returns the rest without the question or without the wait of this number; `nil` if nothing is left.
  func without(question isQuestion: Bool = false, wait number: Int? = nil) -> Reopening? {
    let rest = Reopening(
      question: isQuestion ? nil : question, waits: waits.filter { $0.number != number }, updates: updates,
      ofChildren: ofChildren)
    return rest.question == nil && rest.waits.isEmpty ? nil : rest
  }
}

/// A prompt as it is persisted, encoded once for all commits.
package final class PackedPrompt: Sendable {
  let value: PackedValue

  package init(_ value: PackedValue) {
    self.value = value
  }

  /// A checksum that tells the prompt from others.
  var digest: UInt64 { Checksum.of(value.bytes[...]) }
}

extension FlowMachine {
  /// Takes the question that was open in the snapshot, if it has this key. If it has another key, the step has asked
  /// something else first, and the old question is closed.
  ///
  /// - Returns: The question, and the number of its updates that the step has repeated already.
  mutating func takeReopening(_ key: JournalKey?, on track: TrackID) -> (PackedQuestion?, updates: Int) {
    guard let reopening = look(at: track, { $0.reopening }), let question = reopening.question else { return (nil, 0) }
    self[track].reopening = reopening.without(question: true)
    timers.mayCount()
    if question.key == key { return (question, reopening.updates) }
    closeReopening(question, wasOfChild: reopening.isQuestionOfChild, on: track)
    return (nil, 0)
  }

  /// Closes the question of the snapshot, because the step asks another one first and the old asker does not come any
  /// more. If the asker was a child, it was cancelled sooner than the first time, so its key counts as given up.
  private mutating func closeReopening(_ question: PackedQuestion, wasOfChild: Bool, on track: TrackID) {
    timers.drop(question: question.number, on: track)
    self[track].forgetAsker()
    if wasOfChild, let key = question.key { remember(.withdrawn(), as: key, on: track) }
    guard let reopening = look(at: track, { $0.reopening }),
      let wait = reopening.wait(pairedWith: question.number)
    else { return }
    self[track].reopening = reopening.without(wait: wait.number)
    if wasOfChild { remember(.withdrawn(), as: wait.key, on: track) }
  }

  /// Whether the step's own task comes with the key of something that a child had open in the snapshot. If that is the
  /// question, it is closed: no other question could have been asked while it was open.
  mutating func passesOverReopening(_ key: JournalKey, on track: TrackID) -> Bool {
    guard let reopening = look(at: track, { $0.reopening }), reopening.ofChildren.contains(key) else { return false }
    guard let question = reopening.question, question.key == key else {
      return reopening.waits.contains { $0.key == key }
    }
    self[track].reopening = reopening.without(question: true)
    closeReopening(question, wasOfChild: true, on: track)
    return true
  }

  /// Gives up what child tasks had open in the snapshot, and have not asked for again by the time the step's own task
  /// begins something new. Those children were cancelled sooner than the first time. A child that comes later all the
  /// same begins anew.
  ///
  /// - Parameter isOwnCall: Whether a call of the step's own task that was counted last begins.
  mutating func presumeChildrenGone(on track: TrackID, isOwnCall: Bool = true) {
    guard let reopening = look(at: track, { $0.reopening }), !reopening.ofChildren.isEmpty else { return }
    var rest: Reopening? = reopening
    if let question = reopening.question, let key = question.key, reopening.ofChildren.contains(key) {
      rest = rest?.without(question: true)
      closeReopening(question, wasOfChild: true, on: track)
      rememberPresumed(key, isOwnCall: isOwnCall, on: track)
    }
    for wait in reopening.waits where reopening.ofChildren.contains(wait.key) {
      rest = rest?.without(wait: wait.number)
      timers.dropWait(wait.number)
      if !reopening.isPaired(wait) { self[track].forgetAsker() }
      rememberPresumed(wait.key, isOwnCall: isOwnCall, on: track)
    }
    self[track].reopening = rest
  }

  private mutating func rememberPresumed(_ key: JournalKey, isOwnCall: Bool, on track: TrackID) {
    let call = isOwnCall ? look(at: track) { $0.focus.attempt.ownCalls } : nil
    remember(.withdrawn(settledAt: call, isPresumed: isOwnCall), as: key, on: track)
    self[track].focus.attempt.presumeGivenUp(key)
  }

  /// Closes what the step's own task had open in the snapshot, because that task now begins something else. It can wait
  /// for one thing at a time, so its code has changed: the old question, or the old wait, would be shown for ever.
  mutating func closeOwnReopening(on track: TrackID) {
    guard let reopening = look(at: track, { $0.reopening }) else { return }
    if let question = reopening.question, let key = question.key, !reopening.ofChildren.contains(key) {
      self[track].reopening = reopening.without(question: true)
      timers.mayCount()
      closeReopening(question, wasOfChild: false, on: track)
    }
    for wait in reopening.waits where !reopening.ofChildren.contains(wait.key) && !reopening.isPaired(wait) {
      self[track].reopening = look(at: track) { $0.reopening }?.without(wait: wait.number)
      timers.dropWait(wait.number)
      self[track].forgetAsker()
    }
  }

  /// Gives up what child tasks had open in the snapshot if the step waits for as much as it did then. Its tasks that
  /// have not come back by now are gone: a race that the journal decided may have cancelled them before they could ask.
  mutating func presumeChildrenGoneIfComplete(on track: TrackID) {
    guard look(at: track, { $0.reopening != nil && $0.openAskers > 1 && !$0.hasAskerAtWork }) else { return }
    presumeChildrenGone(on: track, isOwnCall: false)
  }

  /// Whether an update repeats one of a question that the step has not asked again yet: the step's tasks may come back
  /// in another order.
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

  /// Whether this question was open in the snapshot and has not been asked again.
  package func isReopening(_ question: Question.ID) -> Bool {
    main.isReopening(question) || branches.contains { $0.isReopening(question) }
  }

  /// Whether a wait for this signal was open in the snapshot and has not come again.
  package func isReopening(waitFor signal: String) -> Bool {
    main.isReopening(waitFor: signal) || branches.contains { $0.isReopening(waitFor: signal) }
  }

  /// Returns the track that had this question open in the snapshot and has not asked it again.
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

  /// The open questions, and those that were open in the snapshot.
  package var persistedQuestions: [Question.ID] {
    ([.main] + descendants(of: .main)).compactMap { track in
      if let asking = asking(on: track) { return asking.question.id }
      return reopening(on: track)?.question.map {
        Question.ID(flow: flow, run: run, number: $0.number, token: $0.token)
      }
    }
  }

  /// Persists the cursor although no step has been entered here, so that a flow that is activated later does not repeat
  /// what led to this address.
  package mutating func persistCursor(from address: Int, with payload: Payload, on track: TrackID) {
    if journal == .persisting { self[track].start = Start(.at(address: address, payload)) }
  }

  /// Stores the update that a visit begins with. The step receives it again if its first attempt fails before receiving
  /// it, or if the step is made anew in the same visit.
  mutating func remember(_ handover: Handover?, on track: TrackID) {
    if handover != nil, self[track].focus.memory == nil { self[track].focus.memory = PlaceMemory() }
    self[track].focus.memory?.handover = handover
  }

  /// Sets the instance of a place further down, whose step was made anew. The place keeps it until the flow is
  /// passivated.
  ///
  /// - Returns: The instance of the place: an earlier one if two callers made one at the same time. `nil` if it is
  ///   gone.
  package mutating func remade(_ instance: StepInstance, at visit: VisitID, on track: TrackID) -> StepInstance? {
    needsNoCommit()
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

  fileprivate func isReopening(waitFor signal: String) -> Bool {
    reopening?.waits.contains { $0.signal.hasBytes(of: signal) } ?? false
  }
}
