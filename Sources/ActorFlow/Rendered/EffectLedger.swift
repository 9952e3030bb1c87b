/// Which effects there are, and in which order their work begins and ends.
///
/// A key's work starts only after its old work has ended. So what is asked for is due at once, or waits for the work
/// before it. Work that is due is started as long as the visit lasts, be it to find itself cancelled; what waits and is no
/// longer asked for is dropped.
struct EffectLedger {
  /// Those that are asked for, and due or under way.
  private var wanted: [Int: EffectPath] = [:]
  /// Those that are no longer asked for, and have not ended.
  private var leaving: [Int: EffectPath] = [:]
  /// How many of those there are for each path; at most one has begun.
  private var leavingPaths: [EffectPath: Int] = [:]
  /// Those that are asked for and wait for one that is leaving; one for each path.
  private var waiting: [EffectPath: EffectStart] = [:]
  /// Those to be started, oldest first.
  private var due: [EffectStart] = []

  init() {}

  var hasDue: Bool { !due.isEmpty }

  /// A render was made. What it ended is stopped before what it began becomes due.
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

  /// The effects to start now, oldest first.
  mutating func takeDue() -> [EffectStart] {
    defer { due = [] }
    return due
  }

  /// Whether an effect is asked for, and has not ended.
  func isWanted(_ id: Int) -> Bool { wanted[id] != nil }

  /// An effect's work has ended: the one that waits for it becomes due.
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
