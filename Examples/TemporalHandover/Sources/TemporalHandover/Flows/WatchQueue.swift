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
  /// The runs that wait or are looked at, and whether they were added again meanwhile.
  private var known: [Key: Bool] = [:]

  private struct Key: Hashable {
    let flow: FlowID
    let run: WorkflowRun
  }

  var isEmpty: Bool { waiting.isEmpty }

  /// The result of a look.
  enum Result: Sendable {
    /// The run has not ended, or could not be looked at.
    case open
    /// The flow does not wait for the run, or did not yet.
    case notAwaited
    /// The run has ended, and the flow knows it.
    case delivered
  }

  /// Adds a run. One that the flow did not wait for yet when it was looked at comes again.
  mutating func add(_ flow: FlowID, _ run: WorkflowRun) {
    let key = Key(flow: flow, run: run)
    guard known[key] == nil else {
      known[key] = true
      return
    }
    known[key] = false
    waiting.append(Watch(flow: flow, run: run, latest: run.id))
  }

  /// Takes the next run to look at.
  mutating func next() -> Watch? {
    guard !waiting.isEmpty else { return nil }
    active += 1
    let watch = waiting.removeFirst()
    known[Key(flow: watch.flow, run: watch.run)] = false
    return watch
  }

  /// Ends a look. A run that is not over comes last.
  mutating func end(_ watch: Watch, _ result: Result) {
    active -= 1
    let key = Key(flow: watch.flow, run: watch.run)
    if result == .delivered || result == .notAwaited && known[key] != true {
      known[key] = nil
    } else {
      waiting.append(watch)
    }
  }
}
