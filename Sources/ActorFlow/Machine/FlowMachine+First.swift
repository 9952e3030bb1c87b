// A question and a wait for a signal that are open at once, for one task: whichever comes first closes the other.
extension FlowMachine {
  /// The result of asking and waiting at once.
  package enum Paired: Sendable {
    /// The visit is replayed, and the question was answered before.
    case answered(Replied)
    /// A signal was buffered, or the visit is replayed and it was received before.
    case received(any Sendable)
    /// The visit is replayed, and the time limit had passed; or it has passed before the step came to ask again.
    case overdue
    /// The visit is replayed, and the step gave both up before. The task is held until the step gives them up again.
    case withdrawn
    case opened(Question, wait: Int)
  }

  /// The keys of a question and of its paired wait. Both count whatever the outcome is, so that what the step asks and
  /// waits for later has the same keys in a replay.
  private struct PairedKeys {
    /// `nil` if nothing is replayed and the step's author has given no name.
    let asked: JournalKey?
    let waited: JournalKey
  }

  /// Opens a question and a wait for one task, or returns the outcome that is known already: from the journal, or
  /// because a signal is buffered.
  ///
  /// One input opens both, and one input closes both: an answer, a signal, the time limit, or the asker that gives up.
  /// The journal gets the winner's entry under the winner's key. A replay looks under both keys.
  ///
  /// - Parameters:
  ///   - condition: The condition that the signal's value is to meet; `nil` for none.
  ///   - judge: Returns whether a buffered signal meets the condition; `nil` to call the condition itself.
  /// - Throws: As ``ask(_:key:visit:on:within:wantsReply:persisted:by:at:)``, or the error of `judge`.
  package mutating func first<T: Sendable>(
    of prompt: any Prompt, key name: String?, or signal: String, as type: T.Type, at stay: Stay,
    matching condition: SignalCondition? = nil, within limit: Duration? = nil, persisted: PersistedPrompt? = nil,
    by caller: CallingTask = .unknown, at now: @autoclosure () -> Duration = .zero,
    judging judge: SignalBuffer.Judge? = nil
  ) throws -> Paired {
    let track = stay.track
    let place = try activePlace(of: stay.visit, on: track, to: "ask")
    try checkSizes(of: signal, key: nil, 0)
    let buffered = try indexOfBuffered(signal, as: T.self, matching: condition, judging: judge)
    let keys = try pairedKeys(of: prompt, named: name, signal, hasLimit: limit != nil, by: caller, at: place, on: track)
    if let asked = keys.asked { comeBack(to: asked, by: caller, on: track) }
    comeBack(to: keys.waited, by: caller, on: track)
    if let known = known(keys, hasLimit: limit != nil, on: track) {
      count(keys, by: caller, on: track)
      return replayed(known, keys, signal, at: place, by: caller, on: track, at: now())
    }
    guard look(at: track, { $0.asking == nil }) else { throw alreadyAsking(at: place) }
    let reopened = look(at: track) { $0.reopening }
    let question = keys.asked.flatMap { key in reopened?.question.flatMap { $0.key == key ? $0 : nil } }
    let isNew = question == nil && reopened?.wait(keys.waited, for: signal) == nil
    if caller == .step, isNew { try refuseUnclaimed(asking: keys.asked ?? keys.waited, on: track) }
    count(keys, by: caller, on: track)
    note(.began, on: track)
    if caller == .step, isNew {
      presumeChildrenGone(on: track)
      settleGivenUp(on: track)
    }
    let now = timers.isEmpty && limit == nil ? .zero : now()
    if let question, timers.isDue(question: question.number, at: now) {
      if let asked = keys.asked { remember(.overdue, as: asked, on: track) }
      return replayed(.overdue, keys, signal, at: place, by: caller, on: track, at: now)
    }
    let isLate = question.map { isTooLate(.question($0.number), on: track, at: now) } ?? false
    if !isLate, let buffered {
      let value = signals.remove(at: buffered)
      if journal != .off { remember(.answered(value), as: keys.waited, on: track) }
      noteAnswer(under: keys.waited, of: caller, on: track)
      noteFollowed(on: track)
      return replayed(.received(value), keys, signal, at: place, by: caller, on: track, at: now)
    }
    // Taken now, so that the reopened wait does not count as that of a child that has not come back.
    let wait = takeReopening(wait: keys.waited, for: signal, on: track)
    let (asked, isNewlyAsked) = try open(
      prompt, key: keys.asked, at: place, on: track, persisted: persisted, isByChild: caller == .child,
      wantsReply: true, at: now)
    perform(.awaitAnswer(track))
    if isNewlyAsked {
      if let limit { timers.set(.question(asked.id.number), at: now.later(by: limit), on: track) }
      publish(.asked(asked))
    } else {
      showAgain(asked, prompt, persisted, on: track)
    }
    let waiting = SignalBuffer.Waiting(
      wait: Wait(
        signal: signal, step: place.visit.info.id, visit: stay.visit, number: wait?.number ?? signals.lastNumber + 1),
      key: keys.waited, accepts: { $0 is T }, condition: condition, typeName: "\(T.self)", isByChild: caller == .child,
      pairedQuestion: asked.id.number)
    open(waiting, on: track)
    if wait == nil { publish(.waiting(waiting.wait)) }
    return .opened(asked, wait: waiting.wait.number)
  }

  private mutating func pairedKeys(
    of prompt: any Prompt, named name: String?, _ signal: String, hasLimit: Bool, by caller: CallingTask,
    at place: Place, on track: TrackID
  ) throws -> PairedKeys {
    PairedKeys(
      asked: try nextKey(of: prompt, named: name, hasLimit: hasLimit, by: caller, at: place, on: track),
      waited: nextKey(of: signal, hasLimit: hasLimit, by: caller, on: track))
  }

  private mutating func count(_ keys: PairedKeys, by caller: CallingTask, on track: TrackID) {
    if journal != .off, let asked = keys.asked { self[track].focus.attempt.count(asked, by: caller) }
    self[track].focus.attempt.count(keys.waited, by: caller)
    letPresumedAskAgain(on: track, by: caller)
  }

  // MARK: Outcomes

  /// Returns the outcome that the journal has under one of two keys.
  private func known(_ keys: PairedKeys, hasLimit: Bool, on track: TrackID) -> Paired? {
    guard journal != .off else { return nil }
    if let asked = keys.asked, let entry = entry(of: asked, hasLimit: hasLimit, on: track) {
      switch entry {
      case .answered(let answer, let facts): return .answered(replied(answer, facts))
      case .overdue: return .overdue
      case .withdrawn: return .withdrawn
      }
    }
    switch entry(of: keys.waited, hasLimit: hasLimit, on: track) {
    case .answered(let value, _)?: return .received(value)
    case .overdue?: return .overdue
    case .withdrawn?: return .withdrawn
    case nil: return nil
    }
  }

  /// Returns an outcome to the calling task, and closes what was open in the snapshot and has been decided since.
  private mutating func replayed(
    _ outcome: Paired, _ keys: PairedKeys, _ signal: String, at place: Place, by caller: CallingTask,
    on track: TrackID, at now: @autoclosure () -> Duration
  ) -> Paired {
    if case .withdrawn = outcome {
      hold(on: track)
      return .withdrawn
    }
    note(.outcome(by: caller), on: track)
    guard look(at: track, { $0.reopening != nil }) else { return outcome }
    let wait = takeReopening(wait: keys.waited, for: signal, on: track).map {
      Wait(signal: signal, step: place.visit.info.id, visit: place.visit.id, number: $0.number)
    }
    let question = takeReopened(keys.asked, on: track)
    guard question != nil || wait != nil else { return outcome }
    if case .received = outcome {
      somebodyIsThere(on: track, at: now())
      if let wait { publish(.received(wait)) }
      if let question { publish(.withdrawn(question)) }
      return outcome
    }
    pauseIdling(on: track, at: now())
    if let question { publish(.withdrawn(question)) }
    if let wait { publish(.stoppedWaiting(wait)) }
    return outcome
  }

  /// Takes the question that was open in the snapshot, if it has this key, because it is not asked again.
  private mutating func takeReopened(_ key: JournalKey?, on track: TrackID) -> Question.ID? {
    guard let key, let reopening = look(at: track, { $0.reopening }), let question = reopening.question,
      question.key == key
    else { return nil }
    self[track].reopening = reopening.without(question: true)
    timers.drop(question: question.number, on: track)
    timers.mayCount()
    return Question.ID(flow: flow, run: run, number: question.number, token: question.token)
  }

  // MARK: Closing

  /// Publishes that a question is withdrawn, and stops its paired wait.
  mutating func withdrawn(
    _ question: Question.ID, with wait: SignalBuffer.Waiting?, on track: TrackID,
    at now: @autoclosure () -> Duration?
  ) {
    guard let wait else {
      pauseIdling(on: track, at: now())
      return publish(.withdrawn(question))
    }
    publish(.withdrawn(question))
    stop(paired: wait, on: track)
    pauseIdling(on: track, at: now())
    publish(.stoppedWaiting(wait.wait))
  }

  /// Returns the open wait that is paired with a question.
  func wait(pairedWith question: Int, on track: TrackID) -> SignalBuffer.Waiting? {
    guard look(at: track, { !$0.waits.isEmpty }) else { return nil }
    return look(at: track) { $0.waits }.first { $0.pairedQuestion == question }
  }

  /// Ends a paired wait whose question was closed. Its task is resumed as the question's asker.
  mutating func stop(paired waiting: SignalBuffer.Waiting, on track: TrackID) {
    endWait(waiting, on: track)
    perform(.resumeWait(waiting.wait.number, .cancelled))
  }

  /// Withdraws a question whose paired wait has received its signal. Its task is resumed with the signal.
  mutating func withdraw(paired question: Int, on track: TrackID) {
    guard let asking = asking(on: track), asking.question.id.number == question else { return }
    closeQuestion(on: track)
    publish(.withdrawn(asking.question.id))
  }

  /// Passes over a question and its paired wait because the task that comes with them is cancelled; see
  /// ``passOver(_:key:visit:on:hasLimit:by:)``.
  package mutating func passOver(
    first prompt: any Prompt, key name: String?, or signal: String, at stay: Stay, hasLimit: Bool,
    by caller: CallingTask = .unknown
  ) throws -> PassedOver {
    let track = stay.track
    let place = try activePlace(of: stay.visit, on: track, to: "ask")
    guard journal != .off else { return .givenUp }
    let keys = try pairedKeys(of: prompt, named: name, signal, hasLimit: hasLimit, by: caller, at: place, on: track)
    let known = known(keys, hasLimit: hasLimit, on: track)
    switch known {
    case .answered?, .received?, .overdue?: return .known
    case .withdrawn?, .opened?, nil: count(keys, by: caller, on: track)
    }
    guard known == nil else { return .givenUp }
    if let asked = keys.asked { noteGivenUp(asked, on: track) }
    noteGivenUp(keys.waited, on: track)
    let wait = takeReopening(wait: keys.waited, for: signal, on: track).map {
      Wait(signal: signal, step: place.visit.info.id, visit: place.visit.id, number: $0.number)
    }
    let question = takeReopened(keys.asked, on: track)
    if question != nil || wait != nil { self[track].forgetAsker() }
    if let question { publish(.withdrawn(question)) }
    if let wait { publish(.stoppedWaiting(wait)) }
    return .givenUp
  }
}
