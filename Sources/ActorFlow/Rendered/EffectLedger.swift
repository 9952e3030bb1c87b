/// The effects of a rendered step, and the order in which their work starts and ends.
///
/// A key's work starts only after the key's old work has ended. So a requested effect is due at once, or waits for the
/// work before it. Work that is due is started as long as the visit lasts, even if it starts cancelled. Waiting work
/// that is no longer requested is dropped.
struct EffectLedger {
  /// The effects that are requested, and are due or running.
  private var wanted: [Int: EffectPath] = [:]
  /// The effects that are no longer requested and have not ended.
  private var leaving: [Int: EffectPath] = [:]
  /// The number of leaving effects for each path; at most one of them has started.
  private var leavingPaths: [EffectPath: Int] = [:]
  /// The effects that are requested and wait for a leaving one; at most one for each path.
  private var waiting: [EffectPath: EffectStart] = [:]
  /// The effects to start, oldest first.
  private var due: [EffectStart] = []

  init() {}

  var hasDue: Bool { !due.isEmpty }

  /// Records the changes of a render. The effects that it ended are stopped before those that it began become due.
  ///
  /// - Returns: The effects to cancel.
  mutating func apply(_ changes: EffectChanges) -> [Int] {
    guard !changes.isEmpty else { return [] }
    let cancelled = changes.stopped.filter { id in
      guard let path = wanted.removeValue(forKey: id) else { return false }
      leaving[id] = path
      leavingPaths[path, default: 0] += 1
      return true
    }
    if !waiting.isEmpty {
      let stopped = Set(changes.stopped)
      for (path, start) in waiting where stopped.contains(start.id) { waiting[path] = nil }
    }
    for start in changes.started {
      if leavingPaths[start.path] == nil { begin(start) } else { waiting[start.path] = start }
    }
    return cancelled
  }

  /// Returns the effects to start now, oldest first.
  mutating func takeDue() -> [EffectStart] {
    defer { due = [] }
    return due
  }

  /// Whether an effect is requested and has not ended.
  func isWanted(_ id: Int) -> Bool { wanted[id] != nil }

  /// Records that an effect's work has ended. The effect that waits for it becomes due.
  mutating func end(_ id: Int) {
    wanted.removeValue(forKey: id)
    guard let path = leaving.removeValue(forKey: id), let count = leavingPaths[path] else { return }
    leavingPaths[path] = count > 1 ? count - 1 : nil
    guard count == 1, let next = waiting.removeValue(forKey: path) else { return }
    begin(next)
  }

  private mutating func begin(_ start: EffectStart) {
    wanted[start.id] = start.path
    due.append(start)
  }
}
