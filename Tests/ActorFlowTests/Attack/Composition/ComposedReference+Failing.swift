// Failures, the frames around them, and time.
extension ComposedReference {
  func fail(_ track: Track, _ step: String, _ error: String, _ frames: Frame?) {
    track.rest = .moving
    var link = frames
    while let frame = link, frame !== track.outer {
      switch frame.kind {
      case .retry(let attempts, let pause) where frame.attempt < attempts:
        changes.append("caught \(step) retry \(frame.attempt + 1)")
        return again(frame, pause, track)
      case .recover:
        changes.append("caught \(step) recover")
        unwind(frame, track)
        return frame.next(frame.input + "R")
      case .retry, .timeout, .expires: link = frame.below
      }
    }
    guard let parent = track.parent, let place = parent.top else { return end("failed", step, error) }
    track.rest = .ended
    track.timers = []
    if parent.branches.contains(where: { !$0.hasEnded }) { changes.append("leaving \(place.name) superseded") }
    parent.branches.forEach(supersede)
    fail(parent, step, error, place.frames)
  }

  private func again(_ frame: Frame, _ pause: Duration, _ track: Track) {
    let next = frame.with(below: frame.below, attempt: frame.attempt + 1)
    track.timers.removeAll { timer in
      if case .frame(let armed) = timer.kind { !Self.chain(frame.below, holds: armed) } else { true }
    }
    if Self.isOneStep(frame.body), let place = track.places.last, !place.isInner, Self.chain(place.frames, holds: frame)
    {
      place.frames = Self.replace(frame, by: next, in: place.frames)
      return after(pause, track) { [unowned self] in begin(place, track, isNewVisit: false) }
    }
    unwind(frame, track)
    after(pause, track) { [unowned self] in pass(next, track) }
  }

  private func after(_ pause: Duration, _ track: Track, _ goOn: @escaping () -> Void) {
    guard pause > .zero else { return goOn() }
    arm(pause, .rest, track)
    track.rest = .pausing(goOn)
  }

  /// Compensates everything inside the frame.
  func unwind(_ frame: Frame, _ track: Track) {
    let focus = track.focus
    collapse(track)
    let errors = rollBack(track) { Self.chain($0.frames, holds: frame) }
    track.timers.removeAll { timer in
      if case .frame(let armed) = timer.kind { !Self.chain(frame.below, holds: armed) } else { true }
    }
    track.last = track.top == nil ? focus : nil
    changes.append("unwound \(track.top?.name ?? "-") \(errors)")
  }

  static func chain(_ chain: Frame?, holds frame: Frame) -> Bool {
    chain.map { $0 === frame || Self.chain($0.below, holds: frame) } ?? false
  }

  private static func replace(_ frame: Frame, by other: Frame, in chain: Frame?) -> Frame? {
    guard let chain else { return nil }
    if chain === frame { return other }
    return chain.with(below: replace(frame, by: other, in: chain.below), attempt: chain.attempt)
  }

  private static func isOneStep(_ body: [Piece]) -> Bool {
    guard body.count == 1 else { return false }
    switch body[0] {
    case .step: return true
    case .scope(_, let body): return isOneStep(body)
    case .fork, .loop, .choice: return false
    }
  }
}

// MARK: - Time

extension ComposedReference {
  func arm(_ time: Duration, _ kind: Timer.Kind, _ track: Track) {
    track.timers.append(Timer(due: now + time, kind: kind))
  }

  /// A track has entered these frames: the timeouts it has left are disarmed, those it has entered begin.
  func watch(_ frames: Frame?, _ track: Track) {
    track.timers.removeAll { if case .frame(let armed) = $0.kind { !Self.chain(frames, holds: armed) } else { true } }
    var link = frames
    while let frame = link, frame !== track.outer {
      let isArmed = track.timers.contains { if case .frame(let armed) = $0.kind { armed === frame } else { false } }
      if case .timeout(let time) = frame.kind, !isArmed { arm(time, .frame(frame), track) }
      link = frame.below
    }
  }

  /// The next timer; nil if there is none, or if the order is undefined.
  var nextTimer: (due: Duration, track: Track, kind: Timer.Kind)? {
    let all = main.all.flatMap { track in track.timers.map { (due: $0.due, track: track, kind: $0.kind) } }
    guard let first = all.min(by: { $0.due < $1.due }) else { return nil }
    return all.count { $0.due == first.due } == 1 ? first : nil
  }

  /// Fires the next timer.
  func fireTimer() {
    guard let (due, track, kind) = nextTimer else { return }
    now = due
    guard case .frame(let frame) = kind else { return resume(track, nil) }
    let step = track.focus ?? ""
    if !step.isEmpty { changes.append("leaving \(step) timedOut") }
    unwind(frame, track)
    fail(track, step, "timedOut", frame.below)
  }
}
