// Forks, and what undoes them.
extension ComposedReference {
  func open(_ fork: ComposedPlan.Fork, _ bodies: [[Piece]], _ place: Place, _ track: Track) {
    let inputs: [String]
    if case .each(let count, _) = fork {
      inputs = (0..<count).map { "\(place.input)#\($0)" }
    } else {
      inputs = bodies.map { _ in place.input }
    }
    track.rest = .forked
    track.results = []
    let branches = inputs.indices.map { Track(parent: track, number: $0, outer: place.frames) }
    track.branches = branches
    if branches.isEmpty { return judge(fork, place, track) }
    for (branch, input) in zip(branches, inputs) {
      walk(bodies[min(branch.number, bodies.count - 1)][...], input, place.frames, branch) { [unowned self] value in
        branch.rest = .ended
        branch.alarms = []
        if branch.hasAsked { (place.hasAsked, track.hasAsked) = (true, true) }
        track.results.append((branch.number, value))
        judge(fork, place, track)
      }
    }
  }

  private func judge(_ fork: ComposedPlan.Fork, _ place: Place, _ track: Track) {
    let open = track.branches.count { !$0.hasEnded }
    let values = track.results.map(\.value)
    switch fork {
    case .parallel, .each(_, quorum: nil):
      guard open == 0 else { return }
      join(ComposedPlan.join(track.results.sorted { $0.branch < $1.branch }.map(\.value)), place, track)
    case .race: join(values[0], place, track)
    case .each(_, let quorum?):
      guard values.count >= quorum || open == 0 else { return }
      join(ComposedPlan.join(values), place, track)
    }
  }

  private func join(_ value: String, _ place: Place, _ track: Track) {
    let winners = Set(track.results.map(\.branch))
    let losers = track.branches.filter { !winners.contains($0.number) }
    if !losers.isEmpty { changes.append("leaving \(place.name) superseded") }
    losers.forEach(dissolve)
    bury(losers, on: track)
    let errors = rollBack(track) { $0 !== place }
    let hasAsked = place.hasAsked
    bury(track.branches, on: track)
    track.branches = []
    place.hasAsked = hasAsked
    track.rest = .moving
    changes.append("joined \(place.name) \(errors)")
    place.next(value)
  }

  /// What runs on a track, and on those in it, is cancelled.
  func dissolve(_ track: Track) {
    for track in track.all {
      waits.removeAll { $0.track === track }
      track.alarms = []
      track.rest = .ended
    }
  }

  /// The places of tracks become places of the past on another one, oldest first.
  func bury(_ tracks: [Track], on track: Track) {
    var places: [Place] = []
    for branch in tracks.flatMap(\.all) {
      places += branch.places.filter { !$0.isFork }
      branch.places = []
    }
    for place in places { place.isInner = true }
    track.places += places.sorted { $0.stamp < $1.stamp }
  }

  /// Ends everything that runs on a track, and puts what is to be undone on its stack.
  func collapse(_ track: Track) {
    track.branches.forEach(dissolve)
    waits.removeAll { $0.track === track }
    track.alarms.removeAll { if case .rest = $0.kind { true } else { false } }
    bury(track.branches, on: track)
    track.branches = []
    track.rest = .moving
  }

  /// Undoes the newest places, as long as they are to go.
  ///
  /// - Returns: How many `backUp`s have thrown.
  func rollBack(_ track: Track, _ goes: (Place) -> Bool) -> Int {
    var (undone, errors): (Rollback, Int) = ([], 0)
    while let place = track.places.last, goes(place) {
      errors += undo(place, &undone)
      track.places.removeLast()
    }
    if !undone.isEmpty { rollbacks.append(undone) }
    return errors
  }

  func undo(_ place: Place, _ undone: inout Rollback) -> Int {
    guard case .step(let step) = place.kind else { return 0 }
    undone.append(place.key)
    return step.failsToUndo ? 1 : 0
  }
}

// MARK: - Failing

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
    track.alarms = []
    if parent.branches.contains(where: { !$0.hasEnded }) { changes.append("leaving \(place.name) superseded") }
    parent.branches.forEach(dissolve)
    fail(parent, step, error, place.frames)
  }

  private func again(_ frame: Frame, _ pause: Duration, _ track: Track) {
    let next = frame.with(below: frame.below, attempt: frame.attempt + 1)
    track.alarms.removeAll { alarm in
      if case .frame(let armed) = alarm.kind { !Self.chain(frame.below, holds: armed) } else { true }
    }
    if Self.isOneStep(frame.body), let place = track.places.last, !place.isInner, Self.chain(place.frames, holds: frame)
    {
      place.frames = Self.replace(frame, by: next, in: place.frames)
      return after(pause, track) { [unowned self] in begin(place, track, isAnew: false) }
    }
    unwind(frame, track)
    after(pause, track) { [unowned self] in pass(next, track) }
  }

  private func after(_ pause: Duration, _ track: Track, _ goOn: @escaping () -> Void) {
    guard pause > .zero else { return goOn() }
    arm(pause, .rest, track)
    track.rest = .pausing(goOn)
  }

  /// Undoes everything inside the frame.
  func unwind(_ frame: Frame, _ track: Track) {
    collapse(track)
    let errors = rollBack(track) { Self.chain($0.frames, holds: frame) }
    track.alarms.removeAll { alarm in
      if case .frame(let armed) = alarm.kind { !Self.chain(frame.below, holds: armed) } else { true }
    }
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
  func arm(_ time: Duration, _ kind: Alarm.Kind, _ track: Track) {
    track.alarms.append(Alarm(due: now + time, kind: kind))
  }

  /// A track has come under these frames: timeouts it has left are disarmed, those it has entered begin.
  func watch(_ frames: Frame?, _ track: Track) {
    track.alarms.removeAll { if case .frame(let armed) = $0.kind { !Self.chain(frames, holds: armed) } else { true } }
    var link = frames
    while let frame = link, frame !== track.outer {
      let isArmed = track.alarms.contains { if case .frame(let armed) = $0.kind { armed === frame } else { false } }
      if case .timeout(let time) = frame.kind, !isArmed { arm(time, .frame(frame), track) }
      link = frame.below
    }
  }

  /// What happens next by itself; nil: nothing, or it cannot be said what comes first.
  var nextAlarm: (due: Duration, track: Track, kind: Alarm.Kind)? {
    let all = main.all.flatMap { track in track.alarms.map { (due: $0.due, track: track, kind: $0.kind) } }
    guard let first = all.min(by: { $0.due < $1.due }) else { return nil }
    return all.count { $0.due == first.due } == 1 ? first : nil
  }

  /// The time has come for the next alarm.
  func ring() {
    guard let (due, track, kind) = nextAlarm else { return }
    now = due
    guard case .frame(let frame) = kind else { return resume(track, nil) }
    changes.append("leaving \(track.top?.name ?? "-") timedOut")
    let step = track.top?.name ?? "-"
    unwind(frame, track)
    fail(track, step, "timedOut", frame.below)
  }
}
