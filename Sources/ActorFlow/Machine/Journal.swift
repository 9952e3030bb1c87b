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
