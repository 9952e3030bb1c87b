/// What is to happen at some time, if nothing comes first. Times are counted from the run's start.
package struct Alarms: Sendable {
  package enum Subject: Sendable {
    /// A scope's time is over.
    case scope(ScopeFrame)
    /// Nobody has answered for too long; the time begins anew with each answer.
    case idle(ScopeFrame, after: Duration)
    /// A question's time is over.
    case question(Question.ID)
    /// A question's asker is to be reminded, for the nth time.
    case reminder(Question.ID, number: Int, every: Duration, of: Int)
    /// A wait for a signal is over.
    case wait(Int)
    /// A pause before another attempt is over.
    case pause
  }

  package struct Alarm: Sendable {
    package let due: Duration
    package let track: TrackID
    package let subject: Subject
    fileprivate let number: Int

    var isIdle: Bool {
      if case .idle = subject { true } else { false }
    }
  }

  /// The earliest first; of those due at one time the one set first.
  package private(set) var alarms: [Alarm] = []
  private var lastNumber = 0
  /// Whether the earliest alarm may have changed since the last ``takeChange()``.
  private var hasChanged = false

  package var isEmpty: Bool { alarms.isEmpty }

  /// Whether the earliest alarm may have changed since the last call.
  package mutating func takeChange() -> Bool {
    defer { hasChanged = false }
    return hasChanged
  }

  mutating func set(_ subject: Subject, at due: Duration, on track: TrackID) {
    lastNumber += 1
    insert(Alarm(due: due, track: track, subject: subject, number: lastNumber))
    hasChanged = true
  }

  private mutating func insert(_ alarm: Alarm) {
    let place = alarms.lastIndex { ($0.due, $0.number) < (alarm.due, alarm.number) } ?? -1
    alarms.insert(alarm, at: place + 1)
  }

  mutating func remove(_ alarm: Alarm) { remove { $0.number == alarm.number } }

  private mutating func remove(where isDropped: (Alarm) -> Bool) {
    guard !alarms.isEmpty else { return }
    hasChanged = true  // also if none is dropped: others may count from now on
    if alarms.contains(where: isDropped) { alarms.removeAll(where: isDropped) }
  }
}

/// How long an asker waits, and how often it is reminded.
package struct AskDeadline: Sendable {
  package let due: Duration?
  package let reminder: (first: Duration, every: Duration, max: Int)?

  package init(due: Duration?, reminder: (first: Duration, every: Duration, max: Int)?) {
    self.due = due
    self.reminder = reminder
  }

  /// The same, counted from a later moment.
  package func after(_ now: Duration) -> AskDeadline {
    AskDeadline(due: due.map { now + $0 }, reminder: reminder.map { (now + $0.first, $0.every, $0.max) })
  }
}

// MARK: - Questions, waits, pauses

extension Alarms {
  mutating func arm(_ deadline: AskDeadline, for question: Question.ID, on track: TrackID) {
    if let due = deadline.due { set(.question(question), at: due, on: track) }
    if let reminder = deadline.reminder, reminder.max > 0 {
      set(.reminder(question, number: 1, every: reminder.every, of: reminder.max), at: reminder.first, on: track)
    }
  }

  mutating func drop(_ question: Question.ID) {
    remove { alarm in
      switch alarm.subject {
      case .question(question), .reminder(question, _, _, _): true
      default: false
      }
    }
  }

  mutating func dropWait(_ number: Int) {
    remove { if case .wait(number) = $0.subject { true } else { false } }
  }

  mutating func drop(of track: TrackID) {
    remove { $0.track == track }
  }

  mutating func dropPause(of track: TrackID) {
    remove { alarm in
      if case .pause = alarm.subject { alarm.track == track } else { false }
    }
  }
}

// MARK: - Scopes

extension Alarms {
  /// Disarms the scopes of a track that are not in this chain.
  mutating func keep(only scopes: ScopeFrame?, on track: TrackID) {
    guard !alarms.isEmpty else { return }
    remove { alarm in
      guard alarm.track == track, let frame = alarm.frame else { return false }
      return !(scopes?.isWithin(frame) ?? false)
    }
  }

  func isArmed(_ frame: ScopeFrame) -> Bool { alarms.contains { $0.frame === frame } }

  /// Somebody is asked, or has answered, on a track that lies in these: their idle times begin anew.
  mutating func somebodyIsThere(_ now: Duration, on tracks: [TrackID]) {
    let idle = alarms.filter { $0.isIdle && tracks.contains($0.track) }
    guard !idle.isEmpty else { return }
    remove { $0.isIdle && tracks.contains($0.track) }
    for alarm in idle {
      guard case .idle(_, let after) = alarm.subject else { continue }
      insert(Alarm(due: now + after, track: alarm.track, subject: alarm.subject, number: alarm.number))
    }
    hasChanged = true
  }
}

extension Alarms.Alarm {
  fileprivate var frame: ScopeFrame? {
    switch subject {
    case .scope(let frame), .idle(let frame, _): frame
    case .question, .reminder, .wait, .pause: nil
    }
  }
}
