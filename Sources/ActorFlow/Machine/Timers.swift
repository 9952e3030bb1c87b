/// What is to happen at some time, if nothing comes first. Times are counted from the run's start.
package struct Timers: Sendable {
  package enum Subject: Sendable {
    /// A scope's time is over.
    case scope(ScopeFrame)
    /// The flow has waited for somebody outside for too long; the time begins anew with each answer.
    case idle(ScopeFrame, after: Duration)
    /// A question's time is over.
    case question(Int)
    /// A question's asker is to be reminded, for the nth time.
    case reminder(question: Int, number: Int, every: Duration, of: Int)
    /// A wait for a signal is over.
    case wait(Int)
    /// A pause before another attempt is over.
    case pause
  }

  package struct Timer: Sendable {
    package let due: Duration
    package let track: TrackID
    package let subject: Subject
    private let number: Int
    /// When an idle time paused, because nothing was open any more though nobody had answered.
    let pausedAt: Duration?

    fileprivate init(due: Duration, track: TrackID, subject: Subject, number: Int, pausedAt: Duration? = nil) {
      (self.due, self.track, self.subject, self.number, self.pausedAt) = (due, track, subject, number, pausedAt)
    }

    fileprivate func isBefore(_ other: borrowing Timer) -> Bool {
      due == other.due ? number < other.number : due < other.due
    }

    /// The same at another time.
    fileprivate func moved(to due: Duration, pausedAt: Duration? = nil) -> Timer {
      Timer(due: due, track: track, subject: subject, number: number, pausedAt: pausedAt)
    }

    var isIdle: Bool {
      if case .idle = subject { true } else { false }
    }
  }

  /// The earliest first; of those due at one time the one set first.
  private var timers: ContiguousArray<Timer> = []
  /// How many of them are of idle times.
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

  /// Timers that did not count may count from now on.
  mutating func mayCount() { if !timers.isEmpty { hasChanged = true } }

  /// Whether the earliest timer may have changed since the last call.
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

  /// The idle times of these tracks begin anew, but for those that are over.
  mutating func idleAnew(from now: Duration, on tracks: [TrackID]) {
    moveIdle(on: tracks) { timer, after in timer.due > now ? timer.moved(to: now.later(by: after)) : timer }
  }

  /// The idle times of these tracks begin; those that have paused go on.
  mutating func beginIdling(at now: Duration, on tracks: [TrackID]) {
    moveIdle(on: tracks) { timer, after in
      timer.moved(to: timer.pausedAt.map { timer.due + (now - $0) } ?? now.later(by: after))
    }
  }

  /// The idle times of these tracks pause.
  mutating func pauseIdling(at now: Duration, on tracks: [TrackID]) {
    moveIdle(on: tracks) { timer, _ in timer.moved(to: timer.due, pausedAt: timer.pausedAt ?? now) }
  }

  /// The idle times of these tracks, if they have paused, do not go on: they begin anew with the next question or wait.
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
