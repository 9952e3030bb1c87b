/// The outcome of a question or a wait for a signal, as a replay needs it.
package enum JournalEntry: Sendable {
  /// The answer, or the signal that was received. The facts are those of an answer; an earlier version stored none.
  case answered(any Sendable, AnswerFacts.Box? = nil)
  /// Given up by a child task that the step itself has cancelled: the replay cancels it again.
  ///
  /// `settledAt` is the number of the call of the step's own task by which that child was gone. A child that comes after
  /// this call is another one, and passes over the key. `nil` as long as the same child may come. `isPresumed` says that
  /// the child had not given up, but had not come back either when that call began: during the call it still may.
  case withdrawn(settledAt: Int? = nil, isPresumed: Bool = false)
  /// The time limit had passed.
  case overdue
}

/// A call of `proceed`, as the journal sees it. A replay is a new attempt: it counts its questions from the start,
/// and so arrives at the same keys.
struct ProceedCall: Sendable {
  /// Whether the same visit had an earlier attempt.
  var isReplay = false
  private var asked: [JournalKey.Name: Int] = [:]
  /// The earlier names of the prompts that were asked: each of them counts as well.
  private var earlier = TextMap<[String]>()
  /// Whether a child task has got an answer, a signal or a result, so that a race may be decided.
  private var hasOutcome = false
  /// Whether the latest result is the error of a `once`, so that the step may be failing.
  private var hasThrown = false
  /// The keys that were given up before anything was decided: see ``giveUp(_:)``.
  private var givenUp: [JournalKey] = []
  /// The keys that are presumed given up, because no task had asked for them again.
  private var presumed: Set<JournalKey> = []
  /// Whether the step's own task may have answers from an earlier process that it has not come back to.
  private(set) var owesAnswers = false
  /// The number of questions, waits and effects that the step's own task has begun or come back to. It does the same in
  /// each attempt, so the number tells how far it has come.
  private(set) var ownCalls = 0
  /// Whether the journal may have keys that were given up and are not settled.
  private var hasUnsettled = false

  init(isReplay: Bool = false, owesAnswers: Bool = false) {
    (self.isReplay, self.owesAnswers) = (isReplay, owesAnswers)
    hasUnsettled = isReplay
  }

  /// Counts an effect that the calling task begins or comes back to.
  mutating func countEffect(by caller: CallingTask) {
    if caller == .step { ownCalls += 1 }
  }

  mutating func mayHaveUnsettled() { hasUnsettled = true }

  /// Returns whether the journal may have had unsettled keys until now.
  mutating func takeUnsettled() -> Bool {
    defer { hasUnsettled = false }
    return hasUnsettled
  }

  /// Returns the key of the next question under `name`.
  func nextKey(_ name: JournalKey.Name) -> JournalKey {
    JournalKey(name: name, number: asked[name, default: 0] + 1)
  }

  /// Counts a question or a wait. A key that does not tell its asker counts for the task that has come to it as well.
  mutating func count(_ key: JournalKey, by caller: CallingTask) {
    guard asked[key.name, default: 0] < key.number else { return }
    asked[key.name] = key.number
    if caller == .step { ownCalls += 1 }
    if case .given = key.name { return }
    var names = [key.name]
    if case .type(let prompt, let asker) = key.name { names += (earlier[prompt] ?? []).map { .type($0, by: asker) } }
    for name in names {
      if name != key.name { asked[name, default: 0] += 1 }
      if name.asker == nil, let asker = caller.asker { asked[name.asked(by: asker), default: 0] += 1 }
    }
  }

  /// Takes back that a task has come to these keys: it will come to them again.
  mutating func uncount(_ keys: [JournalKey]) {
    for key in keys.sorted().reversed() where asked[key.name] == key.number { asked[key.name] = key.number - 1 }
  }

  /// Notes under which names a prompt was asked in earlier versions.
  mutating func note(_ names: PromptNames) {
    if !names.earlier.isEmpty { earlier[names.current] = names.earlier }
  }

  /// Whether no task has asked for this key in the attempt.
  func isUnclaimed(_ key: JournalKey) -> Bool { key.number > asked[key.name, default: 0] }

  /// Notes that the step's own task has come back to all its answers.
  mutating func settleAnswers() { owesAnswers = false }

  /// Notes that a child task gives up the question or wait of this key.
  ///
  /// A task that lost a race loses it again in a replay. A task that was cancelled because the step fails does not: the
  /// next attempt may come further, and would wait for the question for ever. So a key that is given up before a race
  /// can have been decided is remembered when the step goes on, and forgotten if the step fails.
  ///
  /// - Returns: Whether to remember the key now.
  mutating func giveUp(_ key: JournalKey) -> Bool {
    if hasOutcome, !hasThrown { return true }
    givenUp.append(key)
    return false
  }

  mutating func presumeGivenUp(_ key: JournalKey) { presumed.insert(key) }

  func isPresumedGivenUp(_ key: JournalKey) -> Bool { presumed.contains(key) }

  /// Takes back that a key is presumed given up. Returns false if it was not.
  mutating func comeBack(to key: JournalKey) -> Bool { !presumed.isEmpty && presumed.remove(key) != nil }

  /// Notes that the step goes on.
  ///
  /// - Returns: The keys that were given up before and are to be remembered now.
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
    /// A question, a wait or a `once` has ended with a value, or its time limit has passed.
    case outcome(by: CallingTask)
    /// The work of a `once` threw.
    case threw
  }
}

extension FlowMachine {
  /// Returns the journal's entry for a question or a wait.
  ///
  /// - Parameter hasLimit: Whether the question or wait has a time limit. If not, `overdue` means `withdrawn`: an
  ///   earlier version wrote `overdue` for both.
  func entry(of key: JournalKey, hasLimit: Bool, on track: TrackID) -> JournalEntry? {
    let entry = look(at: track) { $0.focus.memory?.answers[key] }
    if case .overdue? = entry, !hasLimit { return .withdrawn() }
    return entry
  }

  private func isGivenUp(_ key: JournalKey, hasLimit: Bool, on track: TrackID) -> Bool {
    if case .withdrawn? = entry(of: key, hasLimit: hasLimit, on: track) { true } else { false }
  }

  /// Whether the calling task has to pass over this key, because another task has given it up or had it open in the
  /// snapshot. Counts the key then.
  ///
  /// The step's own task is cancelled only with the whole visit. So a key that was given up is a child's, even if that
  /// child has not asked for it in this attempt. A child passes over what another child gave up in an earlier part of the
  /// step: see ``settleGivenUp(on:)``.
  mutating func passesOver(_ key: JournalKey, hasLimit: Bool, by caller: CallingTask, on track: TrackID) -> Bool {
    switch caller {
    case .step:
      guard isGivenUp(key, hasLimit: hasLimit, on: track) || passesOverReopening(key, on: track) else { return false }
    case .child: guard isSettled(key, on: track) else { return false }
    case .unknown: return false
    }
    self[track].focus.attempt.count(key, by: .child)
    return true
  }

  private func isSettled(_ key: JournalKey, on track: TrackID) -> Bool {
    look(at: track) { track in
      guard case .withdrawn(let call?, _)? = track.focus.memory?.answers[key],
        !track.focus.attempt.isPresumedGivenUp(key)
      else { return false }
      // While the call itself has not returned, a child that comes was there before it.
      let last = track.focus.attempt.ownCalls
      return call < last || call == last && !track.isInOwnCall
    }
  }

  /// Notes, if visits are replayed, that the step's own task begins something new under a key or an effect: settles what
  /// children have given up, unless a child has something open or an effect runs.
  ///
  /// The children of a step's earlier parts have ended then. A replay may cancel such a child sooner than the first run
  /// did, before it asks for all that it asked for then. Its keys are left over, and a child of a later part, which
  /// begins after this call, must not take them: it would be held as if it had lost that child's race.
  mutating func settleGivenUp(on track: TrackID) {
    guard journal != .off, look(at: track, { !$0.mayHaveChild }),
      self[track].focus.attempt.takeUnsettled()
    else { return }
    let (call, answers) = look(at: track) { ($0.focus.attempt.ownCalls, $0.focus.memory?.answers ?? [:]) }
    for case (let key, .withdrawn(nil, _)) in answers {
      self[track].focus.memory?.answers[key] = .withdrawn(settledAt: call)
    }
  }

  /// Lets a task ask again under a key that was presumed given up, in this attempt or an earlier one: removes the
  /// journal's entry.
  mutating func comeBack(to key: JournalKey, by caller: CallingTask, on track: TrackID) {
    guard caller != .step, self[track].focus.attempt.comeBack(to: key) || mayComeBack(to: key, on: track) else {
      return
    }
    self[track].focus.memory?.answers[key] = nil
  }

  /// Whether the step's own task is in the call at whose beginning the key was presumed given up. A child of an earlier
  /// part has ended by then, so the child that comes is one that runs beside the call.
  private func mayComeBack(to key: JournalKey, on track: TrackID) -> Bool {
    look(at: track) { track in
      guard case .withdrawn(let call?, true)? = track.focus.memory?.answers[key] else { return false }
      return call == track.focus.attempt.ownCalls && track.isInOwnCall
    }
  }

  /// Holds the calling child at a key that was given up, or presumed so.
  ///
  /// A child that comes to a presumed key before its step's own task has reached the call may be one that lost a race:
  /// then it is cancelled before that call. If it is still there when the call begins, it runs beside it: see
  /// ``letPresumedAskAgain(on:by:)``.
  mutating func hold(at key: JournalKey, isPresumed: Bool, on track: TrackID) {
    guard isPresumed else { return hold(on: track) }
    with(track) { track in
      track.isHolding = true
      track.heldKeys.append(key)
    }
    perform(.holdPresumed(track))
  }

  /// Lets the held children ask again whose keys were presumed given up at a call that the step's own task has come to.
  mutating func letPresumedAskAgain(on track: TrackID, by caller: CallingTask) {
    guard caller == .step, look(at: track, { !$0.heldKeys.isEmpty }) else { return }
    let (keys, isReached) = look(at: track) { track in
      let isReached = track.heldKeys.contains { key in
        guard case .withdrawn(let call?, _)? = track.focus.memory?.answers[key] else { return true }
        return call <= track.focus.attempt.ownCalls
      }
      return (track.heldKeys, isReached)
    }
    guard isReached else { return }
    self[track].focus.attempt.uncount(keys)
    with(track) { $0.heldKeys = [] }
    perform(.askAgain(track))
  }

  mutating func remember(_ entry: JournalEntry, as key: JournalKey, on track: TrackID) {
    if self[track].focus.memory == nil { self[track].focus.memory = PlaceMemory() }
    self[track].focus.memory?.answers[key] = entry
    if case .withdrawn = entry { self[track].focus.attempt.mayHaveUnsettled() }
  }

  /// Notes, if visits are replayed, that the step goes on.
  mutating func note(_ progress: ProceedCall.Progress, on track: TrackID) {
    guard journal != .off else { return }
    for key in self[track].focus.attempt.goOn(after: progress) { rememberGivenUp(key, on: track) }
  }

  /// Notes, if visits are replayed, that a child task gives up a question or a wait. After the step has returned or
  /// thrown, that was not the step's choice, and is not remembered.
  mutating func noteGivenUp(_ key: JournalKey, on track: TrackID) {
    guard journal != .off, !look(at: track, { $0.focus.hasReturned }) else { return }
    if self[track].focus.attempt.giveUp(key) { rememberGivenUp(key, on: track) }
  }

  /// Remembers that a key was given up; a settled one stays settled.
  private mutating func rememberGivenUp(_ key: JournalKey, on track: TrackID) {
    if case .withdrawn? = look(at: track, { $0.focus.memory?.answers[key] }) { return }
    remember(.withdrawn(), as: key, on: track)
  }
}

/// The task of a step that asks, waits or begins an effect.
package enum CallingTask: Sendable {
  /// The task that runs `proceed`.
  case step
  /// A child of that task, so that `proceed` itself may be doing something else.
  case child
  /// Not looked up, because visits are not replayed and nothing depends on it.
  case unknown

  var asker: JournalKey.Asker? {
    switch self {
    case .step: .step
    case .child: .child
    case .unknown: nil
    }
  }
}

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
