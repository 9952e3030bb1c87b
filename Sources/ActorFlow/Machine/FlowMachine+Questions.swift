/// The question a visit has open.
package struct Asking: Sendable {
  package internal(set) var question: Question
  /// The answer's name in the journal; nil if nobody will ask for it.
  let key: JournalKey?
  /// Takes the answers, if the question stays open.
  var receiver: (any ActionReceiver)?
  /// The prompt as it is kept, where flows are.
  var packed: PackedPrompt?
  /// What it was updated with before, where flows are kept.
  var updates = Updates()
  /// Whether a child task of the step's asks, and the step's own may do something else.
  let isByChild: Bool
}

/// What an asker gets whose time is over.
package struct TimeIsUp: Sendable {}

// Questions and their answers.
extension FlowMachine {
  package enum Asked: Sendable {
    /// The visit is replayed, and this was answered before.
    case answered(any Sendable)
    /// The visit is replayed, and the step gave this question up before.
    case withdrawn
    /// The visit is replayed, and the time for this question was over.
    case overdue
    case opened(Question)
  }

  /// What a question of a flow that is kept has beside its prompt.
  package struct PersistedPrompt: Sendable {
    package let prompt: PackedPrompt
    package let token: RandomBits?
    /// What the question showed when the flow was put away, read back; nil if that is not known to be something else.
    package let shown: (any Prompt)?

    package init(prompt: PackedPrompt, token: RandomBits? = nil, shown: (any Prompt)? = nil) {
      (self.prompt, self.token, self.shown) = (prompt, token, shown)
    }
  }

  /// A step asks. `name` names the answer in the journal; without one it is the prompt's type and how many of that type
  /// this attempt has asked.
  ///
  /// - Throws: `CancellationError` while the visit is being left, else a `FlowError`.
  package mutating func ask(
    _ prompt: any Prompt, key name: String?, visit: VisitID, on track: TrackID = .main,
    within deadline: AskDeadline? = nil, persisted: PersistedPrompt? = nil, by caller: CallingTask = .unknown,
    at now: @autoclosure () -> Duration = .zero
  ) throws -> Asked {
    guard let place = runningPlace(of: visit, on: track) else { throw refusal(of: visit, on: track, to: "ask") }
    var key: JournalKey?
    if name != nil || journal != .off {
      let hasLimit = deadline?.due != nil
      key = try nextKey(of: prompt, named: name, hasLimit: hasLimit, by: caller, at: place, on: track)
      if let key { comeBack(to: key, by: caller, on: track) }
      if let key, let entry = entry(of: key, hasLimit: hasLimit, on: track) {
        self[track].focus.attempt.count(key)
        return replayed(entry, by: caller, on: track)
      }
    }
    let (question, isNew) = try open(
      prompt, key: key, at: place, on: track, persisted: persisted, isByChild: caller == .child, at: now())
    if journal != .off, let key {
      self[track].focus.attempt.count(key)
      note(.began, on: track)
      if isNew, caller == .step { presumeChildrenGone(on: track) }
    }
    perform(.awaitAnswer(track))
    guard isNew else {
      showAgain(question, prompt, persisted, on: track)
      return .opened(question)
    }
    if let deadline = deadline?.after(now()) { timers.arm(deadline, for: question.id.number, on: track) }
    publish(.asked(question))
    return .opened(question)
  }

  private mutating func replayed(_ entry: JournalEntry, by caller: CallingTask, on track: TrackID) -> Asked {
    switch entry {
    case .withdrawn:
      hold(on: track)
      return .withdrawn
    case .answered(let answer):
      note(.outcome(by: caller), on: track)
      return .answered(answer)
    case .overdue:
      note(.outcome(by: caller), on: track)
      return .overdue
    }
  }

  /// The task that gave the input is held.
  mutating func hold(on track: TrackID) {
    with(track) { $0.isHolding = true }
    perform(.hold(track))
  }

  /// The outcome of a question or a wait for a task that is cancelled already.
  package enum PassedOver: Sendable {
    /// The visit is replayed, and there is an outcome; the task gets it although it is cancelled by now.
    case known
    /// The question or wait counts as given up.
    case givenUp
  }

  /// A cancelled task of a step's comes to ask. In a replay it may be cancelled sooner or later than the first time, and
  /// the questions after this one are to be known by the same keys: so the question has its key, and counts as given up.
  ///
  /// - Throws: As ``ask(_:key:visit:on:within:persisted:by:at:)``.
  package mutating func passOver(
    _ prompt: any Prompt, key name: String?, visit: VisitID, on track: TrackID = .main, hasLimit: Bool = false,
    by caller: CallingTask = .unknown
  ) throws -> PassedOver {
    let place = try activePlace(of: visit, on: track, to: "ask")
    guard journal != .off,
      let key = try nextKey(of: prompt, named: name, hasLimit: hasLimit, by: caller, at: place, on: track)
    else { return .givenUp }
    if let passed = passOver(key, entry(of: key, hasLimit: hasLimit, on: track), on: track) { return passed }
    if let asked = look(at: track, { $0.reopening?.question }), asked.key == key { withdrawReopening(asked, on: track) }
    return .givenUp
  }

  /// - Returns: Nil: it is given up now for the first time.
  mutating func passOver(_ key: JournalKey, _ entry: JournalEntry?, on track: TrackID) -> PassedOver? {
    if case .answered? = entry { return .known }
    if case .overdue? = entry { return .known }
    self[track].focus.attempt.count(key)
    guard entry == nil else { return .givenUp }
    noteGivenUp(key, on: track)
    return nil
  }

  /// Opens a question of the place on top; it is to be published next, if it is new.
  mutating func open(
    _ prompt: any Prompt, key: JournalKey? = nil, to receiver: (any ActionReceiver)? = nil, at place: Place,
    on track: TrackID, persisted: PersistedPrompt? = nil, isByChild: Bool = false, at now: @autoclosure () -> Duration
  ) throws -> (Question, isNew: Bool) {
    guard look(at: track, { $0.asking == nil }) else {
      throw error(
        .alreadyAsking, "this visit already has an open question; wait for its answer first",
        step: place.visit.info.id)
    }
    let (reopened, replayed) = takeReopening(key, on: track)
    let shown = reopened.flatMap { $0.updates.first == persisted?.prompt.digest ? persisted?.shown : nil }
    if reopened == nil { numbers.question += 1 }
    let number = reopened?.number ?? numbers.question
    let question = Question(
      id: Question.ID(flow: flow, run: run, number: number, token: reopened.map(\.token) ?? persisted?.token),
      step: place.visit.info.id, visit: place.visit.id, prompt: shown ?? prompt, revision: reopened?.revision ?? 1)
    if reopened == nil { beginIdling(on: track, at: now()) }
    with(track) { track in
      track.asking = Asking(
        question: question, key: key, receiver: receiver,
        packed: reopened.map { PackedPrompt($0.prompt) } ?? persisted?.prompt,
        updates: shown == nil ? Updates() : Updates(reopened?.updates ?? [], replayed: replayed), isByChild: isByChild)
      track.focus.hasAsked = true
      track.hasAsked = true
      if !track.waits.isEmpty { track.countAskers() }
    }
    if track != .main { askers[question.id.number] = track }
    return (question, reopened == nil)
  }

  /// The key of the question asked next, but for those that the task which asks passes over.
  private mutating func nextKey(
    of prompt: any Prompt, named name: String?, hasLimit: Bool, by caller: CallingTask, at place: Place,
    on track: TrackID
  ) throws -> JournalKey? {
    while true {
      let key = try journalKey(of: prompt, named: name, at: place, on: track)
      guard let key, passesOver(key, hasLimit: hasLimit, by: caller, on: track) else { return key }
    }
  }

  /// The key of the question asked next. Nil: nothing is replayed, and nobody chose a name.
  ///
  /// A name that was answered in this attempt is refused; in an attempt that replays, the first use of it is not.
  private func journalKey(
    of prompt: any Prompt, named name: String?, at place: Place, on track: TrackID
  ) throws -> JournalKey? {
    let focus = look(at: track) { $0.focus }
    guard let name else {
      return journal != .off ? focus.attempt.nextKey(.type("\(type(of: prompt))")) : nil
    }
    let key = focus.attempt.nextKey(.given(name))
    // Where nothing is replayed nothing is counted, and an answer refuses every further use of its name.
    let earlier = journal != .off ? JournalKey(name: key.name, number: key.number - 1) : key
    guard case .answered? = focus.memory?.answers[earlier] else { return key }
    throw error(
      .duplicateKey, "this visit already has an answer under the key \"\(name)\"; one key, one answer",
      step: place.visit.info.id)
  }

  /// The asker gave up. Changes nothing if the question was closed already.
  ///
  /// - Parameter isCancelled: Whether the task that asked is cancelled, so that it does not go on. If not, a reminder
  ///   threw: nobody knows whether it will again, so a replay asks anew.
  package mutating func withdraw(
    _ question: Question.ID, on track: TrackID = .main, isCancelled: Bool = true,
    at now: @autoclosure () -> Duration? = nil
  ) {
    guard isOpen(question, on: track), let asking = look(at: track, { $0.asking }) else { return }
    closeQuestion(on: track)
    if isCancelled {
      if let key = asking.key { noteGivenUp(key, on: track) }
      self[track].forgetAsker()
    }
    pauseIdling(on: track, at: now())
    publish(.withdrawn(question))
  }

  /// A question that was open when the machine was put away is not asked again.
  mutating func withdrawReopening(_ asked: PackedQuestion, on track: TrackID) {
    dropReopening(on: track, questions: true, waits: false)
    self[track].forgetAsker()
    publish(.withdrawn(Question.ID(flow: flow, run: run, number: asked.number, token: asked.token)))
  }

  /// The time for a question is over. Changes nothing if it was closed already.
  mutating func overdue(_ question: Int, on track: TrackID, at now: Duration) {
    if let reopening = reopening(on: track), let asked = reopening.question, asked.number == question {
      if let key = asked.key { remember(.overdue, as: key, on: track) }
      self[track].reopening = reopening.without(question: true)
      pauseIdling(on: track, at: now)
      return publish(.withdrawn(Question.ID(flow: flow, run: run, number: question, token: asked.token)))
    }
    guard phase(of: track) == .walking, let asking = asking(on: track), asking.question.id.number == question else {
      return
    }
    if let key = asking.key, journal != .off { remember(.overdue, as: key, on: track) }
    note(.outcome(by: asking.isByChild ? .child : .step), on: track)
    closeQuestion(on: track, .success(TimeIsUp()))
    pauseIdling(on: track, at: now)
    publish(.withdrawn(asking.question.id))
  }

  /// An answer that was found valid for what the question shows now. The asker gets it; where steps are reloaded, it is
  /// cancelled, and gets it by replay.
  ///
  /// - Throws: `questionClosed` also after the time of the question, or of a part of the flow that it belongs to.
  package mutating func answer(
    _ id: Question.ID, with answer: any Sendable, by principal: Principal?, at now: @autoclosure () -> Duration = .zero
  ) throws(FlowError) {
    guard let track = openTrack(of: id) else { throw refusal(of: id) }
    let now = timers.isEmpty ? .zero : now()
    if let refusal = lateness(on: track, at: now) { throw refusal }
    let reloads = journal == .reloading
    if let key = look(at: track, { $0.asking?.key }) {
      remember(.answered(journal == .off ? () : answer), as: key, on: track)
      note(.outcome(by: look(at: track) { $0.asking?.isByChild == true } ? .child : .step), on: track)
    }
    if reloads { perform(.cancelWalk(track)) }
    closeQuestion(on: track, reloads ? .cancelled : .success(answer))
    somebodyIsThere(on: track, at: now)
    if reloads {
      releaseHeld(on: track)
      self[track].leave = newLeave(.reload, of: stack(of: track), since: .zero)
      self[track].phase = .leaving
    }
    publish(.answered(id, by: principal))
  }

  /// - Parameter outcome: The asker's.
  mutating func closeQuestion(on track: TrackID, _ outcome: OneShot.Outcome = .cancelled) {
    dropReopening(on: track, questions: true, waits: false)
    guard let asking = with(track, { $0.asking.take() }) else { return }
    if asking.receiver == nil { perform(.resumeAsker(track, outcome)) }
    // The question alone needs no room of its own.
    if asking.receiver == nil, asking.packed == nil { discard(asking.question) } else { discard(asking) }
    if track != .main { askers[asking.question.id.number] = nil }
    if !timers.isEmpty { timers.drop(question: asking.question.id.number, on: track) }
  }

  /// The place of a visit whose step runs. Throws `CancellationError` if it is being left, `notActive` if it is over.
  func activePlace(of visit: VisitID, on track: TrackID = .main, to verb: String) throws -> Place {
    guard let place = runningPlace(of: visit, on: track) else { throw refusal(of: visit, on: track, to: verb) }
    return place
  }

  /// The place of a visit whose step runs; nil if it is being left, or over.
  func runningPlace(of visit: VisitID, on track: TrackID) -> Place? {
    look(at: track) { track in
      guard track.phase == .walking, !track.focus.hasReturned, let place = track.top, place.visit.id == visit else {
        return nil
      }
      return place
    }
  }

  /// Why a step cannot do what it asks for. Beside ``runningPlace(of:on:)``, as ``refusal(of:)`` is.
  @inline(never)
  func refusal(of visit: VisitID, on track: TrackID, to verb: String) -> any Error {
    let (top, hasReturned, phase) = look(at: track) { ($0.top, $0.focus.hasReturned, $0.phase) }
    let message = "the visit that this context belongs to has ended; it can no longer \(verb)"
    guard let place = top, place.visit.id == visit, !hasReturned else { return error(.notActive, message) }
    if phase == .leaving { return CancellationError() }
    return error(.notActive, message, step: place.visit.info.id)
  }
}

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

// Questions whose prompts change while they are open.
extension FlowMachine {
  /// A step replaces what its open question shows. Changes nothing where the visit is replayed and this was shown before.
  package mutating func update<P: Prompt>(
    _ prompt: P, visit: VisitID, on track: TrackID = .main, persisted: PersistedPrompt? = nil
  ) throws {
    let place = try activePlace(of: visit, on: track, to: "update")
    guard let asking = asking(on: track) else {
      // What cannot be read back is asked as it was first, so that this would be lost.
      if P.self is any Decodable.Type, let digest = persisted?.prompt.digest, replayBeforeAsking(digest, on: track) {
        return
      }
      throw error(
        .notActive, "no question of this visit is open, so there is nothing to update", step: place.visit.info.id)
    }
    let old = asking.question
    guard old.prompt is P else {
      throw error(
        .wrongPromptType,
        "the open question shows a prompt of type \(type(of: old.prompt)); it cannot become one of type \(P.self)",
        step: place.visit.info.id)
    }
    guard let packed = persisted?.prompt else { return replace(old, by: prompt, packed: nil, on: track) }
    guard self[track].asking?.updates.replay(packed.digest) == false else { return }
    self[track].asking?.updates.note(packed.digest, after: asking.packed)
    replace(old, by: prompt, packed: packed, on: track)
  }

  /// A question that was open when the machine was put away is asked again, with another prompt or the one it showed.
  mutating func showAgain(
    _ question: Question, _ prompt: any Prompt, _ persisted: PersistedPrompt?, on track: TrackID
  ) {
    guard let persisted, let asking = asking(on: track), let shown = asking.packed, asking.updates.isEmpty,
      shown.value != persisted.prompt.value
    else { return }
    replace(question, by: prompt, packed: persisted.prompt, on: track)
  }

  private mutating func replace(
    _ old: Question, by prompt: any Prompt, packed: PackedPrompt?, on track: TrackID
  ) {
    let question = Question(
      id: old.id, step: old.step, visit: old.visit, prompt: prompt, revision: old.revision + 1)
    discard(old)
    self[track].asking?.question = question
    self[track].asking?.packed = packed
    publish(.updated(question))
  }
}

/// With what a question was updated while it was open.
///
/// A step that runs again because its flow was put away asks what it asked first, and may then update it in the same
/// way. The world has seen that: the question shows what it showed last, until the step comes with something else.
struct Updates: Sendable {
  /// Of what was asked first, then of each update. Empty if there was none.
  private(set) var digests: [UInt64] = []
  /// How many of them this attempt has come by.
  private var replayed = 0
  /// More are not remembered; then each update counts.
  private static let most = 100

  init() {}

  /// - Parameter replayed: How many updates came before the question was asked again.
  init(_ digests: [UInt64], replayed: Int) {
    self.digests = digests
    self.replayed = replayed + 1
  }

  var isEmpty: Bool { digests.isEmpty }

  /// Whether this update is the next of those that were made before.
  mutating func replay(_ digest: UInt64) -> Bool {
    guard replayed < digests.count else { return false }
    // With another one the step goes its own way.
    let isSame = digests[replayed] == digest
    replayed = isSame ? replayed + 1 : digests.count
    return isSame
  }

  /// The question is updated.
  mutating func note(_ digest: UInt64, after shown: PackedPrompt?) {
    if digests.isEmpty, let shown { digests = [shown.digest] }
    digests = digests.count < Self.most ? digests + [digest] : Array(digests.prefix(1))
    replayed = digests.count
  }
}
