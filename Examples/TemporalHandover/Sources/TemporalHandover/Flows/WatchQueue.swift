import ActorFlow

/// A run whose end a flow waits for.
struct Watch: Sendable {
  let flow: FlowID
  let run: WorkflowRun
  /// The latest run of its chain that is known.
  var latest: String
}

/// The runs to look at, the one first that was not looked at for the longest time.
struct WatchQueue {
  /// The number of runs that are looked at.
  private(set) var active = 0
  private var waiting: [Watch] = []
  private var known: Set<Key> = []

  private struct Key: Hashable {
    let flow: FlowID
    let run: WorkflowRun
  }

  var isEmpty: Bool { waiting.isEmpty }

  /// Adds a run, unless it is known.
  mutating func add(_ flow: FlowID, _ run: WorkflowRun) {
    guard known.insert(Key(flow: flow, run: run)).inserted else { return }
    waiting.append(Watch(flow: flow, run: run, latest: run.id))
  }

  /// Takes the next run to look at.
  mutating func next() -> Watch? {
    guard !waiting.isEmpty else { return nil }
    active += 1
    return waiting.removeFirst()
  }

  /// Ends a look. A run that is not over comes last.
  mutating func end(_ watch: Watch, isOver: Bool) {
    active -= 1
    if isOver { known.remove(Key(flow: watch.flow, run: watch.run)) } else { waiting.append(watch) }
  }
}
