// The clock's inputs. The machine has no clock: it says when it wants to be told of a time, and is told.
extension FlowMachine {
  /// The walk came to a place under other scopes than before: those it has left are disarmed, those it has entered begin
  /// their time.
  package mutating func watch(_ scopes: ScopeFrame?, on track: TrackID, at now: @autoclosure () -> Duration) {
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

  /// A pause before another attempt begins. False: the flow is being left.
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

  /// When to tell of the time next; nil: nothing is armed.
  package var nextTimer: Duration? { earliestTimer.map { timers[$0].due } }

  /// Which is the earliest of those that count now. By hand: a closure would get a copy of the machine.
  private var earliestTimer: Int? {
    for index in 0..<timers.count where counts(timers[index]) { return index }
    return nil
  }

  /// An timer of a track that is being left waits until it has landed; all wait while the flow stands still.
  private func counts(_ timer: Timers.Timer) -> Bool {
    guard fault == nil, look(at: timer.track, { $0.phase == .walking }) else { return false }
    switch timer.subject {
    case .idle: break
    // Whoever is to be reminded has not asked again yet.
    case .reminder(let question, _, _, _): return look(at: timer.track) { $0.asking?.question.id.number == question }
    case .scope, .question, .wait, .pause: return true
    }
    return isIdle(on: timer.track)
  }

  /// The time is `now`: what is due first happens, unless it concerns something that is over.
  ///
  /// - Returns: False if nothing is due.
  package mutating func fire(at now: Duration) -> Bool {
    guard let earliest = earliestTimer, timers[earliest].due <= now else { return false }
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
    // In a pause before the first step of all: the one that is waited for.
    let step = visit(of: track)?.info.id ?? path(of: graph.node(from: frame.start), on: track)
    let duration = frame.scope.deadline ?? .zero
    let failure = error(
      .timedOut, "the part of the flow under this `.timeout` has not ended within \(duration)", step: step)
    accept(
      .unwind(Unwinding(frame: frame, step: step, error: failure, isTimeout: true)), on: track, since: now)
  }
}

// MARK: - Late

extension FlowMachine {
  /// Whether what is open on a track is over by now, though the machine was not told of the time yet: its own time, that
  /// of a part of the flow around it, or an idle time, which ends the whole flow.
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

  /// Whether an idle time is over, so that the flow is about to be abandoned.
  func isIdleTooLong(at now: Duration) -> Bool {
    for index in 0..<timers.count {
      let timer = timers[index]
      guard timer.due <= now else { return false }
      if case .idle = timer.subject, counts(timer) { return true }
    }
    return false
  }

  /// The refusal of an answer to the open question of a track; nil if it comes in time.
  package func lateness(on track: TrackID, at now: @autoclosure () -> Duration) -> FlowError? {
    guard !timers.isEmpty, let question = look(at: track, { $0.asking?.question.id }),
      isTooLate(.question(question.number), on: track, at: now())
    else { return nil }
    return error(
      .questionClosed, "the answer to question \(question) came after its deadline",
      step: visit(of: track)?.info.id)
  }
}

// MARK: - Idle times

extension FlowMachine {
  /// Whether a track, or one of its branches, waits for somebody outside: a question or a wait for a signal is open, or was
  /// when the machine was put away.
  func isIdle(on track: TrackID) -> Bool {
    let isOpen = look(at: track) { $0.asking != nil || !$0.waits.isEmpty || $0.reopening != nil }
    guard !isOpen, look(at: track, { $0.fork != nil }) else { return isOpen }
    let isMeant = { (branch: TrackID) in lineage(of: branch).contains(track) }
    if askers.values.contains(where: isMeant) || isWaited(on: isMeant) { return true }
    guard branches.contains(where: { $0.reopening != nil }) else { return false }
    return descendants(of: track).contains { look(at: $0) { $0.reopening != nil } }
  }

  /// Something is about to open on a track. Where nothing was open, idle times begin, or go on if nobody has answered
  /// since they paused.
  mutating func beginIdling(on track: TrackID, at now: @autoclosure () -> Duration) {
    guard timers.hasIdle else { return }
    timers.beginIdling(at: now(), on: lineage(of: track).filter { !isIdle(on: $0) })
  }

  /// Something on a track has closed, and nobody has answered. Where nothing else is open, the flow is at work: idle times
  /// stand still.
  mutating func pauseIdling(on track: TrackID, at now: @autoclosure () -> Duration?) {
    guard timers.hasIdle, let now = now() else { return }
    timers.pauseIdling(at: now, on: lineage(of: track).filter { !isIdle(on: $0) })
  }

  /// The world has answered, acted, or sent a signal that was waited for: the idle times around begin anew.
  mutating func somebodyIsThere(on track: TrackID, at now: @autoclosure () -> Duration) {
    guard timers.hasIdle else { return }
    timers.idleAnew(from: now(), on: lineage(of: track))
  }
}
