/// The state of a run: the machine, the log, and the waiters and tasks of the run.
///
/// A single struct, so that a turn accesses the coordinator's storage once. Swift checks at run time that accesses to a
/// property of an actor do not overlap; with a property for each part, that took 1,000 of the 10,100 instructions of a
/// step.
struct RunState: Sendable {
  var machine: FlowMachine
  var log: EventLog
  /// Measures the time since the run's start.
  var stopwatch: any Stopwatch
  var timer = TimerState()
  var main = TrackTasks()
  var branches = TrackMap<TrackTasks>()
  /// The tasks that wait for signals, by the number of the wait, and those that wait for a pause to end.
  var waits: [Int: OneShot] = [:]
  var pauses: [TrackID: OneShot] = [:]
  var milestones: [(milestone: Milestone, waiter: OneShot)] = []
  /// The tasks that wait for a `once` to end, and the `once` calls that wait for each other.
  var onceWaiters: [OneShot] = []
  var onceWaits = OnceWaits()
  var effects = EffectCount()
  /// Whether the flow was passivated; no input is decided here any more.
  var isPassivated = false

  init(_ machine: FlowMachine, _ log: EventLog, _ stopwatch: any Stopwatch) {
    (self.machine, self.log, self.stopwatch) = (machine, log, stopwatch)
  }

  subscript(track: TrackID) -> TrackTasks {
    track == .main ? main : branches[track]
  }

  /// Changes the tasks of a track in place, as ``FlowMachine/with(_:_:)`` does with a track.
  @inline(__always)
  mutating func with<Result>(_ track: TrackID, _ body: (inout TrackTasks) -> Result) -> Result {
    guard track != .main else { return body(&main) }
    return body(&branches[track])
  }
}

// MARK: - Adopting

extension RunState {
  /// Handles the reaction to an input that the machine has taken: publishes the events, performs the actions, and
  /// collects the rest, which is to be done outside the actor.
  ///
  /// - Parameters:
  ///   - waiter: The waiter of the task that gave the input.
  ///   - time: The time of the event, if it was committed with one.
  mutating func adopt(_ reaction: borrowing Reaction, _ waiter: OneShot?, at time: Duration?) -> Afterwards {
    var afterwards = Afterwards(discarding: reaction.discarded)
    if let event = reaction.event {
      let time = time ?? stopwatch.elapsed()
      if let first = reaction.firstEvent { afterwards.add(log.append(first, at: time, isLast: false)) }
      afterwards.add(log.append(event, at: time, isLast: machine.phase == .ended))
    }
    for action in reaction.actions { perform(action, waiter, &afterwards) }
    if !milestones.isEmpty { reachMilestones(after: reaction.event, &afterwards) }
    // The flow was passivated during the commit, so a task that began to wait with this input would never be resumed.
    if isPassivated {
      for waiter in takeWaiters() { afterwards.add(.resume(waiter, .cancelled)) }
    }
    return afterwards
  }

  /// Performs an action of the machine. Everything that may run user code is left to `afterwards`.
  private mutating func perform(_ action: Reaction.Action, _ waiter: OneShot?, _ afterwards: inout Afterwards) {
    switch action {
    case .startWalk(let track): with(track) { $0.isWalking = true }
    case .cancelWalk(let track):
      if let stint = with(track, { $0.takeWalk() }) { afterwards.add(.cancel(stint)) }

    case .awaitAnswer(let track): with(track) { $0.asker = waiter }
    case .resumeAsker(let track, let outcome):
      if let asker = with(track, { $0.asker.take() }) { afterwards.add(.resume(asker, outcome)) }
    case .remind(let track, let number):
      if let asker = with(track, { $0.asker }) { afterwards.add(.remind(asker, number: number)) }

    case .awaitSignal(let number): waits[number] = waiter
    case .resumeWait(let number, let outcome):
      if let waiter = waits.removeValue(forKey: number) { afterwards.add(.resume(waiter, outcome)) }

    case .awaitPause(let track): pauses[track] = waiter
    case .endPause(let track, let outcome):
      if let waiter = pauses.removeValue(forKey: track) { afterwards.add(.resume(waiter, outcome)) }

    case .hold(let track): if let waiter { with(track) { $0.held.append(waiter) } }
    case .releaseHeld(let track):
      for waiter in with(track, { $0.takeHeld() }) { afterwards.add(.resume(waiter, .cancelled)) }
    case .holdPresumed(let track): if let waiter { with(track) { $0.presumed.append(waiter) } }
    case .askAgain(let track):
      for waiter in with(track, { $0.takePresumed() }) { afterwards.add(.resume(waiter, .success(AskAgain()))) }

    case .awaitMilestone(let milestone): if let waiter { milestones.append((milestone, waiter)) }
    case .wakeOnce:
      for waiter in onceWaiters { afterwards.add(.resume(waiter, .success(()))) }
      onceWaiters = []
    }
  }

  /// Resumes the waiters whose milestones are reached, the longest waiting first.
  private mutating func reachMilestones(after event: LogEntry?, _ afterwards: inout Afterwards) {
    var index = 0
    while index < milestones.count {
      guard let outcome = machine.outcome(of: milestones[index].milestone, after: event) else {
        index += 1
        continue
      }
      afterwards.add(.resume(milestones.remove(at: index).waiter, outcome))
    }
  }

  /// Removes and returns all waiters, to be told that the flow was passivated.
  mutating func takeWaiters() -> [OneShot] {
    var waiters = Array(waits.values) + Array(pauses.values) + milestones.map(\.waiter) + effects.waiters
    (waits, pauses, milestones, effects.waiters) = ([:], [:], [], [])
    for track in [TrackID.main] + machine.descendants(of: .main) {
      with(track) { tasks in
        if let asker = tasks.asker.take() { waiters.append(asker) }
        waiters += tasks.takeHeld()
      }
    }
    return waiters
  }
}

/// The rest of a turn, for its caller to do outside the actor. Releasing values and cancelling or resuming tasks may
/// run user code, and none may run within a turn.
struct Afterwards: Sendable {
  /// The values that the machine has dropped. They are released first, so that a resumed task no longer finds them.
  private var discarded: [any Sendable]
  private var displaced: LogEntry?
  private var readers: EventLog.Wake?
  private var acts: [Act] = []

  enum Act: Sendable {
    case cancel(Task<Void, Never>)
    case resume(OneShot, OneShot.Outcome)
    case remind(OneShot, number: Int)
  }

  init(discarding discarded: [any Sendable] = []) {
    self.discarded = discarded
  }

  mutating func add(_ act: Act) { acts.append(act) }

  mutating func add(_ appended: EventLog.Appended) {
    if let displaced { discarded.append(displaced) }
    displaced = appended.displaced
    // The first append of a turn wakes all readers.
    readers = readers ?? appended.readers
  }

  /// Adds what is left of a later decision in the same turn.
  mutating func add(_ later: Afterwards) {
    discarded += later.discarded
    if let displaced = later.displaced {
      if let own = self.displaced { discarded.append(own) }
      self.displaced = displaced
    }
    readers = readers ?? later.readers
    acts += later.acts
  }

  mutating func wake(_ readers: EventLog.Wake?) { self.readers = readers }

  mutating func perform() {
    discarded = []
    displaced = nil
    for act in acts { act.perform() }
    readers?.passOn()
  }
}

extension Afterwards.Act {
  fileprivate func perform() {
    switch self {
    case .cancel(let task): task.cancel()
    case .resume(let waiter, let outcome): waiter.fulfil(outcome)
    case .remind(let asker, let number): asker.nudge(number)
    }
  }
}
