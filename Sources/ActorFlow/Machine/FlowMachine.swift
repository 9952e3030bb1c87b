/// The one place that decides: a value that takes inputs and says what is to be done.
///
/// It has no task, no clock and no I/O. Each input is a method, called through ``react(to:)``, which returns the input's
/// value with the ``Reaction``: the event to publish and the actions to perform. An input that throws has changed
/// nothing. The inputs stand in extensions by topic: launching and walking, asking, waiting, records, forking, failing,
/// leaving, rolling back.
///
/// A flow is one track of steps, and a track for each branch of the forks that are open. An input says which track it
/// is about; most flows have only the main one.
///
/// No value of the user's is released inside an input, because its `deinit` would run within a turn of the coordinator:
/// dropped values are handed out in ``Reaction/discarded``.
package struct FlowMachine: Sendable {
  package enum Phase: Sendable {
    /// Nothing was launched.
    case idle
    /// A walk is under way and may go on.
    case walking
    /// A leave was accepted; the walk is to end.
    case leaving
    /// The walk has ended; places are compensated.
    case compensating
    case ended
  }

  package let flow: FlowID
  package internal(set) var graph = Graph.empty
  package internal(set) var run = 0
  /// The number of the latest event.
  package internal(set) var sequence = 0
  package internal(set) var ending: Ending?
  /// The `backUp`s that threw on the way to the end, until the run's result is taken.
  var undoFailures: [UndoFailure] = []
  /// The leave that has landed last.
  package internal(set) var lastLanded = 0

  package internal(set) var main = Track()
  var branches = Branches()
  /// Which branch asks the open question of this number.
  var askers: [Int: TrackID] = [:]
  /// What the stack shows after the end.
  var lastStack: VisitNode?
  /// Why the flow stands still, if it does.
  package internal(set) var fault: (step: StepID, error: any Error)?
  /// What `run` is to return or throw, once ended.
  var result: Result<any Sendable, any Error>?
  var numbers: Numbers
  var timers = Timers()
  var signals = SignalBuffer()
  /// Sets the run's idempotency keys apart from those of every other run. Nil before the first effect of a run that is not
  /// kept, and in a flow that was stored before there were any.
  package internal(set) var keyBits: KeyBits?
  let journal: Journal
  /// The consequences of the input that runs; see ``react(to:)``.
  var reaction = Reaction()

  /// The counters that no run restarts.
  package struct Numbers: Sendable {
    package internal(set) var run = 0
    package internal(set) var visit = 0
    package internal(set) var question = 0
    package internal(set) var leave = 0
    package internal(set) var track: Int32 = 0

    package init() {}
  }

  /// Whether a visit's answers are kept, so that it can be replayed.
  package enum Journal: Sendable {
    /// Answers are handed to the asker and forgotten.
    case off
    /// Each answer is kept and handed to the asker: whoever takes the flow up later replays the visit.
    case persisting
    /// Each answer is kept, the asker is cancelled, and a new instance of the step replays the visit.
    case reloading
  }

  package init(flow: FlowID, numbers: Numbers = Numbers(), journal: Journal = .off) {
    self.flow = flow
    self.numbers = numbers
    self.journal = journal
  }

  /// The errors of `backUp`s that threw on the way to the end, until the run's result is taken.
  package var rollbackErrors: [any Error] { undoFailures.map(\.error) }

  /// The counters a later run continues.
  package var nextNumbers: Numbers { numbers }

  /// Hands out, once, the result that `run` returns or throws.
  package mutating func takeResult() -> Result<any Sendable, any Error>? {
    if !undoFailures.isEmpty {
      discard(undoFailures)
      undoFailures = []
    }
    defer { result = nil }
    return result
  }

  func error(
    _ code: FlowError.Code, _ message: String, step: StepID? = nil, underlying: [any Error] = []
  ) -> FlowError {
    FlowError(code, message, flow: flow, step: step, underlying: underlying)
  }
}

// MARK: - Tracks

extension FlowMachine {
  /// A track; for one that is over, a track that has ended.
  package internal(set) subscript(track: TrackID) -> Track {
    get { look(at: track) { copy $0 } }
    @inline(__always) _modify { if track == .main { yield &main } else { yield &branches[track] } }
  }

  /// Looks at a track, or changes it, where it stands: for what is done for every step. Reading by the subscript copies
  /// the track. (It must not lend it with `_read`: optimized by Swift 6.3, `let focus = self[track].focus` read the focus
  /// of a branch after the coroutine that lent it had ended and was freed.)
  @inline(__always)
  func look<Result>(at track: TrackID, _ body: (borrowing Track) -> Result) -> Result {
    guard track != .main else { return body(main) }
    return branches.look(at: track, body)
  }

  @inline(__always)
  mutating func with<Result>(_ track: TrackID, _ body: (inout Track) -> Result) -> Result {
    guard track != .main else { return body(&main) }
    return body(&branches[track])
  }

  func phase(of track: TrackID) -> Phase { look(at: track) { $0.phase } }
  func top(of track: TrackID) -> Place? { look(at: track) { $0.top } }
  func visit(of track: TrackID) -> VisitNode? { look(at: track) { $0.visit } }
  func focus(of track: TrackID) -> Focus { look(at: track) { $0.focus } }
  func asking(on track: TrackID) -> Asking? { look(at: track) { $0.asking } }
  func reopening(on track: TrackID) -> Reopening? { look(at: track) { $0.reopening } }
  func isClosed(_ track: TrackID) -> Bool { look(at: track) { $0.isClosed } }
  func leave(of track: TrackID) -> Leave? { look(at: track) { $0.leave } }

  /// What the flow itself is doing.
  package var phase: Phase { main.phase }

  /// The leave of the flow itself.
  package var leave: Leave? { main.leave }

  /// The tracks of the branches that are open on a track, and those within them.
  func descendants(of track: TrackID) -> [TrackID] {
    guard let branches = look(at: track, { $0.fork?.tracks }) else { return [] }
    return branches.flatMap { [$0] + descendants(of: $0) }
  }

  /// The track and those around it, innermost first.
  func lineage(of track: TrackID) -> [TrackID] {
    var line = [track]
    while let parent = parent(of: line[line.count - 1]) { line.append(parent) }
    return line
  }

  /// The track around a branch; nil for the flow itself.
  func parent(of track: TrackID) -> TrackID? {
    track == .main ? nil : look(at: track) { $0.branch?.parent }
  }

  /// All tracks on which steps may run: those without open branches, in the order in which they began.
  var leaves: [TrackID] {
    guard main.fork != nil else { return [.main] }
    return ([.main] + descendants(of: .main)).filter { self[$0].phase != .ended && !self[$0].hasOpenBranches }.sorted()
  }

  /// Tells the open branches of a track to leave, because the track does, or because they are superfluous.
  mutating func supersedeBranches(of track: TrackID, since: Duration) {
    for branch in descendants(of: track) where look(at: branch, { $0.phase != .ended }) {
      supersede(branch, since: since)
    }
  }

  private mutating func supersede(_ track: TrackID, since: Duration) {
    if phase(of: track) == .walking { perform(.cancelWalk(track)) }
    closeEverything(on: track)
    let old = leave(of: track)
    if let old, !old.isReload, case .supersede = old.goal { return }
    if let old { discard(old) }
    let phase = phase(of: track)
    if phase == .walking { self[track].phase = .leaving }
    self[track].leave = newLeave(
      .supersede, of: old?.visit ?? visit(of: track), since: old?.since ?? since, old?.failures)
  }

  /// The step of a track is being left, or is over: nothing of it stays open.
  mutating func closeEverything(on track: TrackID) {
    releaseHeld(on: track)
    closeQuestion(on: track)
    closeWaits(on: track)
    endPause(of: track)
    dropStart(of: track)
  }

  /// Tasks that are held on a track need not wait any more.
  mutating func releaseHeld(on track: TrackID) {
    guard look(at: track, { $0.isHolding }) else { return }
    with(track) { $0.isHolding = false }
    perform(.releaseHeld(track))
  }

  mutating func newLeave(
    _ goal: Leave.Goal, of visit: VisitNode?, since: Duration, _ failures: [UndoFailure]? = nil
  ) -> Leave {
    numbers.leave += 1
    return Leave(goal: goal, number: numbers.leave, visit: visit, since: since, failures: failures ?? [])
  }

  /// Whether a leave of this number is still on its way.
  package func isUnderWay(_ leave: Int, on track: TrackID) -> Bool {
    look(at: track) { $0.leave?.number == leave }
  }

  /// Refuses what is only possible during a run.
  func requireRun() throws(FlowError) {
    switch phase {
    case .idle: throw error(.notRunning, "no run has begun; wait for one with `settled()`")
    case .ended:
      // A flow that is kept has one run.
      throw error(.flowEnded, journal == .persisting ? "the flow has ended" : "the run has ended; `run` starts another")
    case .walking, .leaving, .compensating: return
    }
  }
}
