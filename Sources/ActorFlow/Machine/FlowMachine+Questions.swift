/// The question that a visit has open.
package struct Asking: Sendable {
  package internal(set) var question: Question
  /// The name of the answer in the journal; `nil` if no replay will ask for it.
  let key: JournalKey?
  /// The receiver of the answers, if the question stays open.
  var receiver: (any ActionReceiver)?
  /// The encoded prompt, if the flow is persisted.
  var packed: PackedPrompt?
  /// The earlier updates of the question, if the flow is persisted.
  var updates = Updates()
  /// The people to whom an operator has assigned the question; `nil` for those that the step's prompt names.
  var assignees: [String]?
  /// Whether a child task of the step asks, so that the step's own task may be doing something else.
  let isByChild: Bool
  /// Whether the asker gets a ``Replied`` and not the answer alone.
  let wantsReply: Bool
}

/// An answer for an asker that wants to know its circumstances.
package struct Replied: Sendable {
  let answer: any Sendable
  let facts: AnswerFacts
  let question: Question.ID
}

/// The outcome for a task that was held at a key and is to come to it again.
package struct AskAgain: Sendable {}

/// The outcome for an asker whose time limit has passed.
package struct TimeIsUp: Sendable {}

// Questions and their answers.
extension FlowMachine {
  package enum Asked: Sendable {
    /// The visit is replayed, and the question was answered before.
    case answered(any Sendable)
    /// The visit is replayed, and the step gave this question up before.
    case withdrawn
    /// The visit is replayed, and the time limit of this question had passed.
    case overdue
    case opened(Question)
  }

  /// The data that a question of a persisted flow has beside its prompt.
  package struct PersistedPrompt: Sendable {
    package let prompt: PackedPrompt
    package let token: RandomBits?
    /// The prompt that the question showed in the snapshot, if it can be read and may differ from the one that is
    /// asked; else `nil`.
    package let shown: (any Prompt)?

    package init(prompt: PackedPrompt, token: RandomBits? = nil, shown: (any Prompt)? = nil) {
      (self.prompt, self.token, self.shown) = (prompt, token, shown)
    }
  }

  /// Opens a question for a step, or returns its outcome from the journal. `name` names the answer in the journal;
  /// without a name, the key is the prompt's type and the number of prompts of that type in this attempt.
  ///
  /// - Parameter wantsReply: Whether the asker gets a ``Replied`` and not the answer alone.
  /// - Throws: `CancellationError` while the visit is being left, else a `FlowError`.
  package mutating func ask(
    _ prompt: any Prompt, key name: String?, visit: VisitID, on track: TrackID = .main,
    within deadline: AskDeadline? = nil, wantsReply: Bool = false, persisted: PersistedPrompt? = nil,
    by caller: CallingTask = .unknown, at now: @autoclosure () -> Duration = .zero
  ) throws -> Asked {
    guard let place = runningPlace(of: visit, on: track) else { throw refusal(of: visit, on: track, to: "ask") }
    var key: JournalKey?
    if name != nil || journal != .off {
      let hasLimit = deadline?.due != nil
      key = try nextKey(of: prompt, named: name, hasLimit: hasLimit, by: caller, at: place, on: track)
      if let key { comeBack(to: key, by: caller, on: track) }
      if let key, let entry = entry(of: key, hasLimit: hasLimit, on: track) {
        self[track].focus.attempt.count(key, by: caller)
        letPresumedAskAgain(on: track, by: caller)
        return replayed(entry, asReply: wantsReply, by: caller, on: track)
      }
      if let key, caller == .step, look(at: track, { $0.reopening?.question?.key != key }) {
        try refuseUnclaimed(asking: key, on: track)
        closeOwnReopening(on: track)
      }
    }
    let (question, isNew) = try open(
      prompt, key: key, at: place, on: track, persisted: persisted, isByChild: caller == .child,
      wantsReply: wantsReply, at: now())
    if journal != .off, let key {
      self[track].focus.attempt.count(key, by: caller)
      letPresumedAskAgain(on: track, by: caller)
      note(.began, on: track)
      if isNew, caller == .step {
        presumeChildrenGone(on: track)
        settleGivenUp(on: track)
      }
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

  private mutating func replayed(
    _ entry: JournalEntry, asReply: Bool, by caller: CallingTask, on track: TrackID
  ) -> Asked {
    switch entry {
    case .withdrawn:
      hold(on: track)
      return .withdrawn
    case .answered(let answer, let facts):
      note(.outcome(by: caller), on: track)
      return .answered(asReply ? replied(answer, facts) : answer)
    case .overdue:
      note(.outcome(by: caller), on: track)
      return .overdue
    }
  }

  /// Holds the calling task.
  mutating func hold(on track: TrackID) {
    with(track) { $0.isHolding = true }
    perform(.hold(track))
  }

  /// The outcome of a question or a wait for a task that is cancelled already.
  package enum PassedOver: Sendable {
    /// The visit is replayed, and there is an outcome. The task gets it although it is cancelled by now.
    case known
    /// The question or wait counts as given up.
    case givenUp
  }

  /// Passes over a question because the task that comes to ask it is cancelled. In a replay that may happen sooner or
  /// later than the first time, and the questions after this one must keep their keys. So the question takes its key,
  /// and counts as given up.
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
    if let passed = passOver(key, entry(of: key, hasLimit: hasLimit, on: track), by: caller, on: track) {
      return passed
    }
    if let asked = look(at: track, { $0.reopening?.question }), asked.key == key { withdrawReopening(asked, on: track) }
    return .givenUp
  }

  /// - Returns: `nil` if the key is given up for the first time.
  mutating func passOver(
    _ key: JournalKey, _ entry: JournalEntry?, by caller: CallingTask, on track: TrackID
  ) -> PassedOver? {
    if case .answered? = entry { return .known }
    if case .overdue? = entry { return .known }
    self[track].focus.attempt.count(key, by: caller)
    guard entry == nil else { return .givenUp }
    noteGivenUp(key, on: track)
    return nil
  }

  /// Opens a question of the place on top. If it is new, publish it next.
  mutating func open(
    _ prompt: any Prompt, key: JournalKey? = nil, to receiver: (any ActionReceiver)? = nil, at place: Place,
    on track: TrackID, persisted: PersistedPrompt? = nil, isByChild: Bool = false, wantsReply: Bool = false,
    at now: @autoclosure () -> Duration
  ) throws -> (Question, isNew: Bool) {
    guard look(at: track, { $0.asking == nil }) else { throw alreadyAsking(at: place) }
    let (reopened, replayed) = takeReopening(key, on: track)
    let shown = reopened.flatMap { $0.updates.first == persisted?.prompt.digest ? persisted?.shown : nil }
    if reopened == nil { numbers.question += 1 }
    let number = reopened?.number ?? numbers.question
    let question = Question(
      id: Question.ID(flow: flow, run: run, number: number, token: reopened.map(\.token) ?? persisted?.token),
      step: place.visit.info.id, visit: place.visit.id,
      prompt: Self.prompt(shown ?? prompt, assignedTo: reopened?.assignees), revision: reopened?.revision ?? 1)
    if reopened == nil {
      beginIdling(on: track, at: now())
      noteFollowed(on: track)
    }
    with(track) { track in
      track.asking = Asking(
        question: question, key: key, receiver: receiver,
        packed: reopened.map { PackedPrompt($0.prompt) } ?? persisted?.prompt,
        updates: shown == nil ? Updates() : Updates(reopened?.updates ?? [], replayed: replayed),
        assignees: reopened?.assignees, isByChild: isByChild, wantsReply: wantsReply)
      track.focus.hasAsked = true
      track.hasAsked = true
      if !track.waits.isEmpty { track.countAskers() }
    }
    presumeChildrenGoneIfComplete(on: track)
    if track != .main { askers[question.id.number] = track }
    return (question, reopened == nil)
  }

  func alreadyAsking(at place: Place) -> FlowError {
    error(
      .alreadyAsking, "this visit already has an open question; wait for its answer first", step: place.visit.info.id)
  }

  /// Withdraws a question that its asker gave up. Changes nothing if the question was closed already.
  ///
  /// - Parameter isCancelled: Whether the asking task is cancelled, so that it does not go on. If not, a reminder
  ///   threw. It may not throw again, so a replay asks anew.
  package mutating func withdraw(
    _ number: Int, on track: TrackID = .main, isCancelled: Bool = true, at now: @autoclosure () -> Duration? = nil
  ) {
    guard isOpen(number, on: track), let asking = asking(on: track) else { return }
    let wait = wait(pairedWith: number, on: track)
    closeQuestion(on: track)
    if asking.key != nil, !asking.isByChild { mayAskAgain(on: track) }
    if isCancelled {
      if let key = asking.key { noteGivenUp(key, on: track) }
      if let wait { noteGivenUp(wait.key, on: track) }
      self[track].forgetAsker()
    }
    withdrawn(asking.question.id, with: wait, on: track, at: now())
  }

  /// Withdraws a question that was open in the snapshot and is not asked again.
  mutating func withdrawReopening(_ asked: PackedQuestion, on track: TrackID) {
    dropReopening(on: track, questions: true, waits: false)
    self[track].forgetAsker()
    publish(.withdrawn(Question.ID(flow: flow, run: run, number: asked.number, token: asked.token)))
  }

  /// Withdraws a question whose time limit has passed. Changes nothing if it was closed already.
  mutating func overdue(_ question: Int, on track: TrackID, at now: Duration) {
    if let reopening = reopening(on: track), let asked = reopening.question, asked.number == question {
      if let key = asked.key { remember(.overdue, as: key, on: track) }
      noteFollowed(on: track)
      let wait = reopening.wait(pairedWith: question)
      self[track].reopening = reopening.without(question: true, wait: wait?.number)
      pauseIdling(on: track, at: now)
      publish(.withdrawn(Question.ID(flow: flow, run: run, number: question, token: asked.token)))
      guard let wait, let visit = visit(of: track) else { return }
      return publish(
        .stoppedWaiting(Wait(signal: wait.signal, step: visit.info.id, visit: visit.id, number: wait.number)))
    }
    guard phase(of: track) == .walking, let asking = asking(on: track), asking.question.id.number == question else {
      return
    }
    if let key = asking.key, journal != .off { remember(.overdue, as: key, on: track) }
    note(.outcome(by: asking.isByChild ? .child : .step), on: track)
    noteFollowed(on: track)
    let wait = wait(pairedWith: question, on: track)
    closeQuestion(on: track, .success(TimeIsUp()))
    withdrawn(asking.question.id, with: wait, on: track, at: now)
  }

  /// Closes a question with an answer that is valid for the prompt shown now. The asker gets the answer; if steps are
  /// reloaded, the asker is cancelled instead, and gets the answer by replay.
  ///
  /// - Throws: `questionClosed` also if the time limit of the question, or of a part of the flow around it, has passed.
  package mutating func answer(
    _ id: Question.ID, with answer: any Sendable, by principal: Principal?, at now: @autoclosure () -> Duration = .zero
  ) throws(FlowError) {
    guard let track = openTrack(of: id) else { throw refusal(of: id, at: now()) }
    let wantsReply = look(at: track) { $0.asking?.wantsReply == true }
    let now = timers.isEmpty && journal == .off && !wantsReply ? .zero : now()
    if let refusal = lateness(on: track, at: now) { throw refusal }
    let reloads = journal == .reloading
    let facts = journal == .off && !wantsReply ? nil : facts(of: principal, on: track, at: now)
    if let key = look(at: track, { $0.asking?.key }) {
      let asker: CallingTask = look(at: track) { $0.asking?.isByChild == true } ? .child : .step
      remember(journal == .off ? .answered(()) : .answered(answer, facts), as: key, on: track)
      noteAnswer(under: key, of: asker, on: track)
      note(.outcome(by: asker), on: track)
    }
    if reloads { perform(.cancelWalk(track)) }
    noteFollowed(on: track)
    let outcome = wantsReply ? replied(answer, facts) : answer
    closeQuestion(on: track, reloads ? .cancelled : .success(outcome))
    somebodyIsThere(on: track, at: now)
    note(answerer: principal)
    if reloads {
      releaseHeld(on: track)
      self[track].leave = newLeave(.reload, of: stack(of: track), since: .zero)
      self[track].phase = .leaving
    }
    publish(.answered(id, by: principal))
    if let wait = wait(pairedWith: id.number, on: track) {
      stop(paired: wait, on: track)
      publish(.stoppedWaiting(wait.wait))
    }
  }

  /// - Parameter facts: The facts; `nil` if an earlier version stored the answer without them.
  func replied(_ answer: any Sendable, _ facts: AnswerFacts.Box?) -> Replied {
    let facts = facts?.facts ?? AnswerFacts(by: nil, at: .zero, revision: 0, number: 0, token: nil)
    let question = Question.ID(flow: flow, run: run, number: facts.number, token: facts.token)
    return Replied(answer: answer, facts: facts, question: question)
  }

  private func facts(of principal: Principal?, on track: TrackID, at now: Duration) -> AnswerFacts.Box? {
    look(at: track) { $0.asking?.question }.map {
      AnswerFacts.Box(
        AnswerFacts(by: principal, at: now, revision: $0.revision, number: $0.id.number, token: $0.id.token))
    }
  }

  /// Notes the principal of the latest answer or action.
  mutating func note(answerer principal: Principal?) {
    guard principal != nil || participants?.answeredBy != nil else { return }
    participants = Participants(startedBy: participants?.startedBy, answeredBy: principal)
  }

  /// - Parameter outcome: The outcome for the asker.
  mutating func closeQuestion(on track: TrackID, _ outcome: OneShot.Outcome = .cancelled) {
    dropReopening(on: track, questions: true, waits: false)
    guard let asking = with(track, { $0.asking.take() }) else { return }
    if asking.receiver == nil { perform(.resumeAsker(track, outcome)) }
    // A question by itself fits into `any Sendable` without an allocation.
    if asking.receiver == nil, asking.packed == nil { discard(asking.question) } else { discard(asking) }
    if track != .main { askers[asking.question.id.number] = nil }
    if !timers.isEmpty { timers.drop(question: asking.question.id.number, on: track) }
  }

  /// Returns the place of a visit whose step runs. Throws `CancellationError` if the visit is being left, `notActive`
  /// if it is over.
  func activePlace(of visit: VisitID, on track: TrackID = .main, to verb: String) throws -> Place {
    guard let place = runningPlace(of: visit, on: track) else { throw refusal(of: visit, on: track, to: verb) }
    return place
  }

  /// Returns the place of a visit whose step runs; `nil` if the visit is being left, or over.
  func runningPlace(of visit: VisitID, on track: TrackID) -> Place? {
    look(at: track) { track in
      guard track.phase == .walking, !track.focus.hasReturned, let place = track.top, place.visit.id == visit else {
        return nil
      }
      return place
    }
  }

  /// Returns the error for a step that cannot do what it asks for. Beside ``runningPlace(of:on:)`` for the reason given
  /// at ``refusal(of:)``.
  @inline(never)
  func refusal(of visit: VisitID, on track: TrackID, to verb: String) -> any Error {
    let (top, hasReturned, phase) = look(at: track) { ($0.top, $0.focus.hasReturned, $0.phase) }
    let message = "the visit that this context belongs to has ended; it can no longer \(verb)"
    guard let place = top, place.visit.id == visit, !hasReturned else { return error(.notActive, message) }
    if phase == .leaving { return CancellationError() }
    return error(.notActive, message, step: place.visit.info.id)
  }
}

// MARK: - Open questions

extension FlowMachine {
  /// Returns the open question of this id, or throws the reason that there is none.
  package func openQuestion(
    _ id: Question.ID, at now: @autoclosure () -> Duration = .zero
  ) throws(FlowError) -> Question {
    guard let question = question(openAs: id) else { throw refusal(of: id, at: now()) }
    return question
  }

  /// Returns the open question of this id; `nil` if there is none.
  package func question(openAs id: Question.ID) -> Question? {
    openTrack(of: id).flatMap { look(at: $0) { $0.asking?.question } }
  }

  /// Returns the open question of this id, and the receiver of its answers if it stays open.
  package func openQuestion(
    takingActions id: Question.ID, at now: @autoclosure () -> Duration = .zero
  ) throws(FlowError) -> (question: Question, receiver: (any ActionReceiver)?) {
    guard let track = openTrack(of: id),
      let found = look(at: track, { track in track.asking.map { (question: $0.question, receiver: $0.receiver) } })
    else { throw refusal(of: id, at: now()) }
    return found
  }

  /// Returns the track that asks this question, or asked it in the snapshot.
  func track(asking id: Question.ID) throws(FlowError) -> TrackID {
    guard let track = openTrack(of: id) ?? track(reopening: id) else { throw refusal(of: id) }
    return track
  }

  /// Returns the track that asks this question, during a run.
  func openTrack(of id: Question.ID) -> TrackID? {
    phase == .idle || phase == .ended ? nil : asker(of: id)
  }

  /// Returns the reason that a question is not open. Beside ``openTrack(of:)``: if that one could throw, its caller,
  /// which changes the machine later on, would be given a copy of the machine.
  @inline(never)
  func refusal(of id: Question.ID, at now: Duration = .zero) -> FlowError {
    do { try requireRun() } catch { return error }
    let name = id.debugDescription
    let open = questionsToAnswer(at: now)
    guard id.flow == flow, id.run <= run, id.number <= numbers.question, id.number > 0, id.run > 0, !isForged(id) else {
      let remedy =
        journal == .persisting ? "; take the whole id, with its secret digits, from the flow's page or the inbox" : ""
      return error(.noSuchQuestion, "this flow never asked a question \(name)\(remedy)").listing(open)
    }
    return error(.questionClosed, "question \(name) was answered or withdrawn, or its step was left").listing(open)
  }

  /// Returns the error for an answer or an assignment that names another revision than the open question shows.
  package func staleness(
    of revision: Int, for id: Question.ID, at now: @autoclosure () -> Duration = .zero
  ) throws(FlowError) -> FlowError {
    let question = try openQuestion(id, at: now())
    return error(
      .staleRevision,
      "the request is for revision \(revision); the question now shows revision \(question.revision)",
      step: question.step
    ).listing(questionsToAnswer(at: now()))
  }

  /// The questions that can be answered at this time, for an answerer whose answer is refused. Those of the snapshot
  /// that their steps have not asked again yet are among them.
  ///
  /// - Parameter refused: A question that the machine still has open, although it takes no answer any more.
  package func questionsToAnswer(at now: Duration, besides refused: Question.ID? = nil) -> [OpenQuestion] {
    guard phase != .idle, phase != .ended else { return [] }
    return ([.main] + descendants(of: .main)).compactMap { track in
      guard let open = questionToAnswer(on: track), open.id.number != refused?.number,
        timers.isEmpty || !isTooLate(.question(open.id.number), on: track, at: now)
      else { return nil }
      return open
    }
  }

  private func questionToAnswer(on track: TrackID) -> OpenQuestion? {
    if let question = look(at: track, { $0.asking?.question }) {
      return OpenQuestion(step: question.step, id: question.id, revision: question.revision)
    }
    guard let question = reopening(on: track)?.question, let step = visit(of: track)?.info.id else { return nil }
    return OpenQuestion(
      step: step, id: Question.ID(flow: flow, run: run, number: question.number), revision: question.revision)
  }

  /// Whether an id has a token that its question cannot have.
  ///
  /// The tokens of closed questions are not stored, so a guessed token of a closed question is refused like a right
  /// one. A caller without the right token learns from the refusal only that the number is not open any more.
  private func isForged(_ id: Question.ID) -> Bool {
    // Every question of a persisted flow has a token, and no other question has one.
    if (id.token == nil) == (journal == .persisting) { return true }
    return persistedQuestions.contains { $0.number == id.number && $0 != id }
  }

  /// Returns the track that asks this question.
  package func asker(of id: Question.ID) -> TrackID? {
    if main.asks(id) { return .main }
    guard let track = askers[id.number], look(at: track, { $0.asks(id) }) else { return nil }
    return track
  }

  /// Whether the question of this number may still be answered or withdrawn.
  func isOpen(_ number: Int, on track: TrackID) -> Bool {
    look(at: track) { $0.phase == .walking && $0.asking?.question.id.number == number }
  }

  /// Returns the only open question that shows a `P`; throws if there is none, or more than one.
  package func openQuestion<P: Prompt>(
    of type: P.Type, at now: @autoclosure () -> Duration = .zero
  ) throws(FlowError) -> Question {
    try requireRun()
    let open = leaves.compactMap { self[$0].asking?.question }.filter { $0.prompt is P }
    guard let question = open.first else {
      throw error(
        .noSuchQuestion,
        "no question of type \(P.self) is open; the flow may not have come to it yet, so wait for it with `settled()`"
      ).listing(questionsToAnswer(at: now()))
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
