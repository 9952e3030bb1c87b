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
