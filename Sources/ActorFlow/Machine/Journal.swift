/// The outcome of a question or of a wait for a signal, as a replay needs to know it.
package enum JournalEntry: Sendable {
  /// The answer, or the signal that was received.
  case answered(any Sendable)
  /// Given up by a child task that the step itself has cancelled: the replay cancels it again.
  case withdrawn
  /// The time for it was over.
  case overdue
}

/// One call of `proceed`, as the journal sees it. A replay is a new attempt: it counts its questions anew, and so comes
/// to the same keys.
struct Attempt: Sendable {
  /// Whether an earlier attempt of the same visit came before.
  var isReplay = false
  private var asked: [JournalKey.Name: Int] = [:]
  /// Whether a child task has got an answer, a signal or a result, so that a race may be decided.
  private var hasOutcome = false
  /// Whether the latest result is the error of a `once`, so that the step may be failing.
  private var hasThrown = false
  /// Keys that were given up before anything was decided: see ``giveUp(_:)``.
  private var givenUp: [JournalKey] = []
  /// Keys that count as given up because nobody had come back for them.
  private var presumed: Set<JournalKey> = []

  init(isReplay: Bool = false) {
    self.isReplay = isReplay
  }

  /// The key of the question that is asked next under `name`.
  func nextKey(_ name: JournalKey.Name) -> JournalKey {
    JournalKey(name: name, number: asked[name, default: 0] + 1)
  }

  mutating func count(_ key: JournalKey) {
    asked[key.name] = key.number
  }

  /// A child task gives up the question or wait of this key.
  ///
  /// A task that lost a race loses it again in a replay. A task that was cancelled because the step fails does not: the
  /// next attempt may come further, and would wait for it for ever. So what is given up before a race can have been
  /// decided is remembered when the step goes on, and forgotten if it fails.
  ///
  /// - Returns: Whether to remember it now.
  mutating func giveUp(_ key: JournalKey) -> Bool {
    if hasOutcome, !hasThrown { return true }
    givenUp.append(key)
    return false
  }

  mutating func presumeGivenUp(_ key: JournalKey) { presumed.insert(key) }

  /// Whether a key counts as given up only because nobody had come back for it, until now.
  mutating func comeBack(to key: JournalKey) -> Bool { !presumed.isEmpty && presumed.remove(key) != nil }

  /// The step goes on.
  ///
  /// - Returns: The keys given up before that are to be remembered now.
  mutating func goOn(after progress: Progress) -> [JournalKey] {
    switch progress {
    case .began: break
    case .outcome(let caller): if caller != .step { hasOutcome = true }
    case .threw:
      hasThrown = true
      return []
    }
    hasThrown = false
    guard !givenUp.isEmpty else { return [] }
    defer { givenUp = [] }
    return givenUp
  }

  /// A sign that the step goes on.
  enum Progress {
    /// A question, a wait or the work of a `once` has begun.
    case began
    /// A question, a wait or a `once` has ended with a value, or its time was over. Nil: the task is not known.
    case outcome(by: CallingTask)
    /// The work of a `once` threw.
    case threw
  }
}

extension FlowMachine {
  /// The journal's entry for a question or a wait.
  ///
  /// - Parameter hasLimit: Whether its time can be over. If not, `overdue` was written for one that was given up, by a
  ///   version that knew no difference.
  func entry(of key: JournalKey, hasLimit: Bool, on track: TrackID) -> JournalEntry? {
    let entry = look(at: track) { $0.focus.memory?.answers[key] }
    if case .overdue? = entry, !hasLimit { return .withdrawn }
    return entry
  }

  private func isGivenUp(_ key: JournalKey, hasLimit: Bool, on track: TrackID) -> Bool {
    if case .withdrawn? = entry(of: key, hasLimit: hasLimit, on: track) { true } else { false }
  }

  /// Whether the step's own task comes with a key under which something was given up. Its task is cancelled with the whole
  /// visit only, so that was a child's, whether or not it has come by, and the key is counted.
  mutating func passesOver(_ key: JournalKey, hasLimit: Bool, by caller: CallingTask, on track: TrackID) -> Bool {
    guard caller == .step, isGivenUp(key, hasLimit: hasLimit, on: track) || passesOverReopening(key, on: track)
    else { return false }
    self[track].focus.attempt.count(key)
    return true
  }

  /// A task comes for what counted as given up because it had not come: that begins anew.
  mutating func comeBack(to key: JournalKey, by caller: CallingTask, on track: TrackID) {
    guard caller != .step, self[track].focus.attempt.comeBack(to: key) else { return }
    self[track].focus.memory?.answers[key] = nil
  }

  mutating func remember(_ entry: JournalEntry, as key: JournalKey, on track: TrackID) {
    if self[track].focus.memory == nil { self[track].focus.memory = PlaceMemory() }
    self[track].focus.memory?.answers[key] = entry
  }

  /// The step goes on, where visits are replayed.
  mutating func note(_ progress: Attempt.Progress, on track: TrackID) {
    guard journal != .off else { return }
    for key in self[track].focus.attempt.goOn(after: progress) { remember(.withdrawn, as: key, on: track) }
  }

  /// A child task gives up a question or a wait, where visits are replayed. After the step has returned or thrown that
  /// is nobody's choice, and not remembered.
  mutating func noteGivenUp(_ key: JournalKey, on track: TrackID) {
    guard journal != .off, !look(at: track, { $0.focus.hasReturned }) else { return }
    if self[track].focus.attempt.giveUp(key) { remember(.withdrawn, as: key, on: track) }
  }
}

/// The task of a step that asks, waits or begins an effect.
package enum CallingTask: Sendable {
  /// The task that runs `proceed`.
  case step
  /// A child of it, so that `proceed` itself may be doing something else.
  case child
  /// Not looked up, because visits are not replayed and nothing depends on it.
  case unknown
}

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
