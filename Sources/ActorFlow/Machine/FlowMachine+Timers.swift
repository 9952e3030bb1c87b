// Timers. The machine has no clock: it returns the time at which it wants to be called, and is called with the time.
extension FlowMachine {
  /// Arms the timers of the scopes that the walk has entered, and disarms those of the scopes that it has left.
  package mutating func watch(_ scopes: ScopeFrame?, on track: TrackID, at now: @autoclosure () -> Duration) {
    needsNoCommit()
    arm(scopes, on: track, at: now())
  }

  /// Arms the deadlines of the scopes that are entered, and disarms those of the scopes that are left.
  mutating func arm(_ scopes: ScopeFrame?, on track: TrackID, at now: @autoclosure () -> Duration) {
    guard look(at: track, { $0.phase == .walking }) else { return }
    timers.keep(only: scopes, on: track)
    guard scopes != nil else { return }
    let outer = look(at: track) { $0.outerScopes }
    var link = scopes
    while let frame = link, frame !== outer {
      link = frame.below
      guard let deadline = frame.scope.deadline, !timers.isArmed(frame) else { continue }
      let now = now()
      let due = now.later(by: deadline)
      timers.set(frame.scope.isExpiry ? .idle(frame, after: deadline) : .scope(frame), at: due, on: track)
    }
  }

  /// Begins a pause before another attempt. Returns false if the flow is being left.
  package mutating func pause(_ duration: Duration, on track: TrackID, at now: Duration) -> Bool {
    guard phase(of: track) == .walking else { return false }
    timers.set(.pause, at: now.later(by: duration), on: track)
    self[track].isPausing = true
    perform(.awaitPause(track))
    return true
  }

  mutating func endPause(of track: TrackID) {
    guard look(at: track, { $0.isPausing }) else { return }
    with(track) { $0.isPausing = false }
    timers.dropPause(of: track)
    perform(.endPause(track, .cancelled))
  }

  /// The time at which the next timer fires; `nil` if none is armed.
  package var nextTimer: Duration? { earliestTimer.map { timers[$0].due } }

  /// The index of the earliest timer that counts now. A loop, because a closure would get a copy of the machine.
  private var earliestTimer: Int? {
    for index in 0..<timers.count where counts(timers[index]) { return index }
    return nil
  }

  /// Whether a timer may fire. A timer of a track that is being left waits until the track has landed, and all wait
  /// while the flow is suspended.
  private func counts(_ timer: Timers.Timer) -> Bool {
    guard fault == nil, look(at: timer.track, { $0.phase == .walking }) else { return false }
    switch timer.subject {
    case .idle: break
    // An asker that has not asked again yet cannot be reminded.
    case .reminder(let question, _, _, _): return look(at: timer.track) { $0.asking?.question.id.number == question }
    case .scope, .question, .wait, .pause: return true
    }
    return isIdle(on: timer.track)
  }

  /// Fires the first timer that is due at `now`, without effect if it concerns something that is over. If none is, ends
  /// the holding of commits whose time is over.
  ///
  /// - Returns: False if nothing is due.
  package mutating func fire(at now: Duration) -> Bool {
    guard let earliest = earliestTimer, timers[earliest].due <= now else { return releaseHeldCommit(at: now) }
    let timer = timers.remove(at: earliest)
    switch timer.subject {
    case .scope(let frame): timeOut(frame, on: timer.track, at: now)
    case .idle(_, let after):
      let ending = Ending.abandoned(reason: "nobody has answered for \(after)")
      accept(.end(ending, rollBack: true), on: .main, since: now)
    case .question(let id): overdue(id, on: timer.track, at: now)
    case .reminder(let id, let number, let every, let most):
      guard asking(on: timer.track)?.question.id.number == id else { break }
      if number < most {
        timers.set(
          .reminder(question: id, number: number + 1, every: every, of: most), at: timer.due.later(by: every),
          on: timer.track)
      }
      perform(.remind(timer.track, number))
    case .wait(let number): stopWaiting(number, on: timer.track, at: now)
    case .pause:
      self[timer.track].isPausing = false
      perform(.endPause(timer.track, .success(())))
    }
    return true
  }

  private mutating func timeOut(_ frame: ScopeFrame, on track: TrackID, at now: Duration) {
    // In a pause before the very first step, the error names the step that is waited for.
    let step = visit(of: track)?.info.id ?? path(of: graph.node(from: frame.start), on: track)
    let duration = frame.scope.deadline ?? .zero
    let failure = error(
      .timedOut, "the part of the flow under this `.timeout` has not ended within \(duration)", step: step)
    accept(
      .unwind(Unwinding(frame: frame, step: step, error: failure, isTimeout: true)), on: track, since: now)
  }
}

// MARK: - Lateness

extension FlowMachine {
  /// Whether the time for something open on a track has passed, even if the timer has not fired yet: its own limit,
  /// that of a part of the flow around it, or an idle time, which ends the whole flow.
  func isTooLate(_ subject: Timers.Subject, on track: TrackID, at now: Duration) -> Bool {
    for index in 0..<timers.count {
      let timer = timers[index]
      guard timer.due <= now else { return false }
      guard counts(timer) else { continue }
      switch (timer.subject, subject) {
      case (.idle, _): return true
      case (.scope, _): if lineage(of: track).contains(timer.track) { return true }
      case (.question(let due), .question(let number)), (.wait(let due), .wait(let number)):
        if due == number { return true }
      default: break
      }
    }
    return false
  }

  /// Whether an idle time has passed, so that the flow is about to be abandoned.
  func isIdleTooLong(at now: Duration) -> Bool {
    for index in 0..<timers.count {
      let timer = timers[index]
      guard timer.due <= now else { return false }
      if case .idle = timer.subject, counts(timer) { return true }
    }
    return false
  }

  /// Returns the error for an answer to the open question of a track that comes too late; `nil` if it comes in time.
  package func lateness(on track: TrackID, at now: @autoclosure () -> Duration) -> FlowError? {
    guard !timers.isEmpty, let question = look(at: track, { $0.asking?.question.id }) else { return nil }
    let now = now()
    guard isTooLate(.question(question.number), on: track, at: now) else { return nil }
    return error(
      .questionClosed, "the answer to question \(question.debugDescription) came after its deadline",
      step: visit(of: track)?.info.id
    ).listing(questionsToAnswer(at: now))
  }
}

// MARK: - Idle times

extension FlowMachine {
  /// Whether a track or one of its branches waits for input from outside: a question or a wait for a signal is open, or
  /// was in the snapshot.
  func isIdle(on track: TrackID) -> Bool {
    let isOpen = look(at: track) { $0.asking != nil || !$0.waits.isEmpty || $0.reopening != nil }
    guard !isOpen, look(at: track, { $0.fork != nil }) else { return isOpen }
    let isMeant = { (branch: TrackID) in lineage(of: branch).contains(track) }
    if askers.values.contains(where: isMeant) || isWaited(on: isMeant) { return true }
    guard branches.contains(where: { $0.reopening != nil }) else { return false }
    return descendants(of: track).contains { look(at: $0) { $0.reopening != nil } }
  }

  /// Begins idle times before something opens on a track on which nothing was open. Those that have paused without an
  /// answer since go on.
  mutating func beginIdling(on track: TrackID, at now: @autoclosure () -> Duration) {
    guard timers.hasIdle else { return }
    timers.beginIdling(at: now(), on: lineage(of: track).filter { !isIdle(on: $0) })
  }

  /// Pauses idle times after something on a track has closed without an answer, if nothing else is open: the flow is at
  /// work.
  mutating func pauseIdling(on track: TrackID, at now: @autoclosure () -> Duration?) {
    guard timers.hasIdle, let now = now() else { return }
    timers.pauseIdling(at: now, on: lineage(of: track).filter { !isIdle(on: $0) })
  }

  /// Restarts the idle times around a track, because an answer, an action or an awaited signal has come from outside.
  mutating func somebodyIsThere(on track: TrackID, at now: @autoclosure () -> Duration) {
    guard timers.hasIdle else { return }
    timers.idleAnew(from: now(), on: lineage(of: track))
  }
}

/// The timers of a flow. Times are counted from the run's start.
package struct Timers: Sendable {
  package enum Subject: Sendable {
    /// The time limit of a scope.
    case scope(ScopeFrame)
    /// The idle time of a scope: the flow is abandoned if no input comes from outside. Each answer restarts it.
    case idle(ScopeFrame, after: Duration)
    /// The time limit of a question.
    case question(Int)
    /// The reminder of a question's asker, for the nth time.
    case reminder(question: Int, number: Int, every: Duration, of: Int)
    /// The time limit of a wait for a signal.
    case wait(Int)
    /// The end of a pause before another attempt.
    case pause
  }

  package struct Timer: Sendable {
    package let due: Duration
    package let track: TrackID
    package let subject: Subject
    private let number: Int
    /// The time at which an idle time paused, because nothing was open any more although no answer had come.
    let pausedAt: Duration?

    fileprivate init(due: Duration, track: TrackID, subject: Subject, number: Int, pausedAt: Duration? = nil) {
      (self.due, self.track, self.subject, self.number, self.pausedAt) = (due, track, subject, number, pausedAt)
    }

    fileprivate func isBefore(_ other: borrowing Timer) -> Bool {
      due == other.due ? number < other.number : due < other.due
    }

    /// Returns the timer with another time.
    fileprivate func moved(to due: Duration, pausedAt: Duration? = nil) -> Timer {
      Timer(due: due, track: track, subject: subject, number: number, pausedAt: pausedAt)
    }

    var isIdle: Bool {
      if case .idle = subject { true } else { false }
    }
  }

  /// The timers, earliest first; those due at the same time in the order in which they were set.
  private var timers: ContiguousArray<Timer> = []
  /// The number of timers of idle times.
  private var idle = 0
  private var lastNumber = 0
  /// Whether the earliest timer may have changed since the last ``takeChange()``.
  private var hasChanged = false

  package var isEmpty: Bool { timers.isEmpty }
  package var count: Int { timers.count }
  package var hasIdle: Bool { idle > 0 }

  package subscript(index: Int) -> Timer {
    timers[index]
  }

  /// Notes that timers that did not count may count from now on.
  mutating func mayCount() { if !timers.isEmpty { hasChanged = true } }

  /// Returns whether the earliest timer may have changed since the last call.
  package mutating func takeChange() -> Bool {
    defer { hasChanged = false }
    return hasChanged
  }

  mutating func set(_ subject: Subject, at due: Duration, on track: TrackID, pausedAt: Duration? = nil) {
    lastNumber += 1
    insert(Timer(due: due, track: track, subject: subject, number: lastNumber, pausedAt: pausedAt))
    hasChanged = true
  }

  private mutating func insert(_ timer: Timer) {
    var place = timers.count  // most often the latest
    while place > 0, timer.isBefore(timers.span[place - 1]) { place -= 1 }
    timers.insert(timer, at: place)
    if timer.isIdle { idle += 1 }
  }

  @discardableResult
  mutating func remove(at index: Int) -> Timer {
    hasChanged = true
    let timer = timers.remove(at: index)
    if timer.isIdle { idle -= 1 }
    return timer
  }

  private mutating func remove(where isDropped: (borrowing Timer) -> Bool) {
    guard !timers.isEmpty else { return }
    hasChanged = true  // also if none is dropped: others may count from now on
    var index = 0
    while index < timers.count {
      if isDropped(timers.span[index]) { remove(at: index) } else { index += 1 }
    }
  }
}

/// The time limit of a question, and its reminders.
package struct AskDeadline: Sendable {
  package let due: Duration?
  package let reminder: (first: Duration, every: Duration, max: Int)?

  package init(due: Duration?, reminder: (first: Duration, every: Duration, max: Int)?) {
    self.due = due
    self.reminder = reminder
  }

  /// Returns the deadline counted from a later moment.
  package func after(_ now: Duration) -> AskDeadline {
    AskDeadline(
      due: due.map { now.later(by: $0) }, reminder: reminder.map { (now.later(by: $0.first), $0.every, $0.max) })
  }
}

// MARK: - Questions, waits, pauses

extension Timers {
  mutating func arm(_ deadline: AskDeadline, for question: Int, on track: TrackID) {
    if let due = deadline.due { set(.question(question), at: due, on: track) }
    if let reminder = deadline.reminder, reminder.max > 0 {
      set(
        .reminder(question: question, number: 1, every: reminder.every, of: reminder.max), at: reminder.first, on: track
      )
    }
  }

  mutating func drop(question number: Int, on track: TrackID) {
    remove { timer in
      guard timer.track == track else { return false }
      return switch timer.subject {
      case .question(number), .reminder(question: number, _, _, _): true
      default: false
      }
    }
  }

  func isDue(question number: Int, at now: Duration) -> Bool {
    timers.contains { timer in
      guard case .question(number) = timer.subject else { return false }
      return timer.due <= now
    }
  }

  func isDue(wait number: Int, at now: Duration) -> Bool {
    timers.contains { timer in
      guard case .wait(number) = timer.subject else { return false }
      return timer.due <= now
    }
  }

  mutating func dropWait(_ number: Int) {
    remove { if case .wait(number) = $0.subject { true } else { false } }
  }

  mutating func drop(of track: TrackID) {
    remove { $0.track == track }
  }

  mutating func dropPause(of track: TrackID) {
    remove { timer in
      if case .pause = timer.subject { timer.track == track } else { false }
    }
  }
}

// MARK: - Scopes

extension Timers {
  /// Disarms the scopes of a track that are not in this chain.
  mutating func keep(only scopes: ScopeFrame?, on track: TrackID) {
    guard !timers.isEmpty else { return }
    remove { timer in
      guard timer.track == track, let frame = timer.frame else { return false }
      return !(scopes?.isWithin(frame) ?? false)
    }
  }

  func isArmed(_ frame: ScopeFrame) -> Bool {
    timers.indices.contains { timers.span[$0].frame === frame }
  }

  /// Restarts the idle times of these tracks, except those that have passed.
  mutating func idleAnew(from now: Duration, on tracks: [TrackID]) {
    moveIdle(on: tracks) { timer, after in timer.due > now ? timer.moved(to: now.later(by: after)) : timer }
  }

  /// Begins the idle times of these tracks; those that have paused go on.
  mutating func beginIdling(at now: Duration, on tracks: [TrackID]) {
    moveIdle(on: tracks) { timer, after in
      timer.moved(to: timer.pausedAt.map { timer.due + (now - $0) } ?? now.later(by: after))
    }
  }

  /// Pauses the idle times of these tracks.
  mutating func pauseIdling(at now: Duration, on tracks: [TrackID]) {
    moveIdle(on: tracks) { timer, _ in timer.moved(to: timer.due, pausedAt: timer.pausedAt ?? now) }
  }

  /// Makes the paused idle times of these tracks begin anew with the next question or wait, instead of going on.
  mutating func forgetIdle(on tracks: [TrackID]) {
    moveIdle(on: tracks) { timer, _ in timer.moved(to: timer.due) }
  }

  private mutating func moveIdle(on tracks: [TrackID], _ moved: (Timer, _ after: Duration) -> Timer) {
    guard hasIdle, !tracks.isEmpty else { return }
    let old = timers.filter { $0.isIdle && tracks.contains($0.track) }
    guard !old.isEmpty else { return }
    remove { $0.isIdle && tracks.contains($0.track) }
    for timer in old {
      if case .idle(_, let after) = timer.subject { insert(moved(timer, after)) }
    }
  }
}

extension Timers.Timer {
  fileprivate var frame: ScopeFrame? {
    switch subject {
    case .scope(let frame), .idle(let frame, _): frame
    case .question, .reminder, .wait, .pause: nil
    }
  }
}
