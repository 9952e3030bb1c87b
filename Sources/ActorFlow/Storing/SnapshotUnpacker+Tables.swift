// The timers, and the tables of state that several places share.
extension SnapshotUnpacker {
  mutating func setTimers() {
    for timer in snapshot.timers {
      if case .reminder(_, _, let every, _) = timer.subject, every <= .zero {
        note(machine.main.visit?.info.id ?? "", "the snapshot is damaged: a reminder has no interval")
        continue
      }
      guard let track = tracks[timer.track], let subject = subject(timer.subject) else { continue }
      var pausedAt: Duration?
      if case .idle(_, _, let paused) = timer.subject { pausedAt = paused }
      machine.timers.set(subject, at: timer.due, on: track, pausedAt: pausedAt)
    }
  }

  /// Returns the subject of a timer; `nil` for a pause, which begins anew with its remaining time.
  mutating func subject(_ packed: PackedTimer.Subject) -> Timers.Subject? {
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

  mutating func payload(_ index: Int, of step: StepID) -> Payload? {
    guard payloads.begin(index, at: &nesting) else { return payloads.made(index) ?? damaged(step) }
    defer { nesting -= 1 }
    let packed = snapshot.payloads[index]
    let scopes = packed.scopes.flatMap { frame($0, of: step) }
    let payload = Payload(
      value(packed.value), carried: packed.carried.flatMap { carried($0, of: step) }, scopes: scopes)
    payloads.end(index, with: payload)
    return payload
  }

  mutating func carried(_ index: Int, of step: StepID) -> Carried? {
    guard carried.begin(index, at: &nesting) else { return carried.made(index) ?? damaged(step) }
    defer { nesting -= 1 }
    let packed = snapshot.carried[index]
    let made = Carried(value(packed.value), below: packed.below.flatMap { carried($0, of: step) })
    carried.end(index, with: made)
    return made
  }

  mutating func frame(_ index: Int, of step: StepID) -> ScopeFrame? {
    guard frames.begin(index, at: &nesting) else { return frames.made(index) ?? damaged(step) }
    defer { nesting -= 1 }
    let packed = snapshot.frames[index]
    guard let scope = names.scope(packed.scope) else {
      note(packed.scope.step, "the definition has no `.\(packed.scope.kind)` here any more")
      return nil
    }
    guard let payload = payload(packed.payload, of: step) else { return nil }
    let frame = ScopeFrame(scope, payload, attempt: packed.attempt, admitted: packed.admitted)
    frames.end(index, with: frame)
    return frame
  }

  func value(_ packed: PackedValue) -> StoredValue { StoredValue(packed, codec: codec) }

  mutating func failures(_ packed: [PackedUndoFailure], ofEarlierLeaves isEarlier: Bool = false) -> [UndoFailure] {
    packed.map { failure in
      UndoFailure(
        error: failure.error.error(in: machine.flow),
        place: failure.place.flatMap { place($0, on: nil, isTop: false) }, isOfEarlierLeave: isEarlier)
    }
  }
}

/// A table whose rows are restored when they are first needed.
struct UnpackedTable<Value: Sendable>: Sendable {
  private enum Row: Sendable {
    case packed
    case isBeingMade
    case made(Value)
  }

  /// A limit above the nesting of any definition. Longer chains would overflow the stack, here and when they are freed.
  private static var deepest: Int { 500 }

  private var rows: [Row]

  init(count: Int) {
    rows = Array(repeating: .packed, count: count)
  }

  /// Begins to restore a row, one level deeper; returns whether the row is there, still packed, and not too deep.
  mutating func begin(_ index: Int, at nesting: inout Int) -> Bool {
    guard rows.indices.contains(index), case .packed = rows[index], nesting < Self.deepest else { return false }
    rows[index] = .isBeingMade
    nesting += 1
    return true
  }

  mutating func end(_ index: Int, with value: Value) { rows[index] = .made(value) }

  /// The value of a row that was restored.
  func made(_ index: Int) -> Value? {
    guard rows.indices.contains(index), case .made(let value) = rows[index] else { return nil }
    return value
  }
}
