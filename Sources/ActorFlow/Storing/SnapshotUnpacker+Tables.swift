// The timers, and the tables of state that several places share.
extension SnapshotUnpacker {
  mutating func setAlarms() {
    for alarm in snapshot.alarms {
      if case .reminder(_, _, let every, _) = alarm.subject, every <= .zero {
        note(machine.main.visit?.info.id ?? "", "the snapshot is damaged: a reminder has no interval")
        continue
      }
      guard let track = tracks[alarm.track], let subject = subject(alarm.subject) else { continue }
      var pausedAt: Duration?
      if case .idle(_, _, let paused) = alarm.subject { pausedAt = paused }
      machine.alarms.set(subject, at: alarm.due, on: track, pausedAt: pausedAt)
    }
  }

  /// Returns the subject of a timer; `nil` for a pause, which begins anew with its remaining time.
  mutating func subject(_ packed: PackedAlarm.Subject) -> Alarms.Subject? {
    switch packed {
    case .scope(let index): frame(index, of: "").map { .scope($0) }
    case .idle(let index, let after, _): frame(index, of: "").map { .idle($0, after: after) }
    case .question(let number): .question(number)
    case .reminder(let question, let number, let every, let most):
      .reminder(question: question, number: number, every: every, of: most)
    case .wait(let number): .wait(number)
    case .pause: nil
    }
  }

  mutating func cargo(_ index: Int, of step: StepID) -> Cargo? {
    guard cargoes.indices.contains(index) else { return damaged(step) }
    switch cargoes[index] {
    case .made(let cargo): return cargo
    case .isBeingMade: return damaged(step)
    case .packed: break
    }
    guard nesting < Self.deepest else { return damaged(step) }
    nesting += 1
    defer { nesting -= 1 }
    cargoes[index] = .isBeingMade
    let packed = snapshot.cargoes[index]
    let scopes = packed.scopes.flatMap { frame($0, of: step) }
    let cargo = Cargo(value(packed.value), kept: packed.kept.flatMap { kept($0, of: step) }, scopes: scopes)
    cargoes[index] = .made(cargo)
    return cargo
  }

  mutating func kept(_ index: Int, of step: StepID) -> Kept? {
    guard kept.indices.contains(index) else { return damaged(step) }
    switch kept[index] {
    case .made(let kept): return kept
    case .isBeingMade: return damaged(step)
    case .packed: break
    }
    guard nesting < Self.deepest else { return damaged(step) }
    nesting += 1
    defer { nesting -= 1 }
    kept[index] = .isBeingMade
    let packed = snapshot.kept[index]
    let made = Kept(value(packed.value), below: packed.below.flatMap { kept($0, of: step) })
    kept[index] = .made(made)
    return made
  }

  mutating func frame(_ index: Int, of step: StepID) -> ScopeFrame? {
    guard frames.indices.contains(index) else { return damaged(step) }
    switch frames[index] {
    case .made(let frame): return frame
    case .isBeingMade: return damaged(step)
    case .packed: break
    }
    guard nesting < Self.deepest else { return damaged(step) }
    nesting += 1
    defer { nesting -= 1 }
    frames[index] = .isBeingMade
    let packed = snapshot.frames[index]
    guard let scope = names.scope(packed.scope) else {
      note(packed.scope.step, "the definition has no `.\(packed.scope.kind)` here any more")
      return nil
    }
    guard let cargo = cargo(packed.cargo, of: step) else { return nil }
    let frame = ScopeFrame(scope, cargo, attempt: packed.attempt)
    frames[index] = .made(frame)
    return frame
  }

  func value(_ packed: PackedValue) -> StoredValue { StoredValue(packed, codec: codec) }

  mutating func failures(_ packed: [PackedUndoFailure]) -> [UndoFailure] {
    packed.map { failure in
      UndoFailure(
        error: failure.error.error(in: machine.flow),
        place: failure.place.flatMap { place($0, on: nil, isTop: false) })
    }
  }
}
