/// A flow's state machine: a value that takes inputs, makes all decisions, and returns the consequences.
///
/// The machine has no task, no clock and no I/O. Each input is a method, called through ``react(to:)``, which returns
/// the input's value with the ``Reaction``: the event to publish and the actions to perform. An input that throws has
/// changed nothing. The inputs stand in extensions by topic: launching and walking, asking, waiting, records, forking,
/// failing, leaving, rolling back.
///
/// A flow is one track of steps, and another track for each branch of an open fork. An input names the track that it is
/// about; most flows have only the main one.
///
/// No input releases a user's value, because the value's `deinit` would run within a turn of the coordinator. Dropped
/// values are handed out in ``Reaction/discarded``.
package struct FlowMachine: Sendable {
  package enum Phase: Sendable {
    /// No run was launched.
    case idle
    /// A walk is under way and may go on.
    case walking
    /// A leave was accepted; the walk is to end.
    case leaving
    /// The walk has ended; places are being compensated.
    case compensating
    case ended
  }

  package let flow: FlowID
  package internal(set) var graph = Graph.empty
  package internal(set) var run = 0
  /// The number of the latest event.
  package internal(set) var sequence = 0
  package internal(set) var ending: Ending?
  /// The `backUp`s that threw, in the order in which they ran: those on the way to the end, until the run's result is
  /// taken; and, if the flow is persisted, those of earlier leaves whose places are on no stack any more.
  var undoFailures: [UndoFailure] = []
  /// The number of the back that landed last.
  package internal(set) var lastLanded = 0

  package internal(set) var main = Track()
  var branches = Branches()
  /// The branches that ask, by the number of their open question. Questions of the main track are not listed.
  var askers: [Int: TrackID] = [:]
  /// The stack that is shown after the end.
  var lastStack: VisitNode?
  /// The failure that suspended the flow; `nil` if the flow is not suspended.
  package internal(set) var fault: (step: StepID, error: any Error)?
  /// The value that `run` returns or the error that it throws, once known.
  var result: Result<any Sendable, any Error>?
  var numbers: Numbers
  var timers = Timers()
  var signals = SignalBuffer()
  /// The random part of the run's idempotency keys, which makes them differ from those of every other run. `nil` before
  /// the first effect of a run that is not persisted, and in a flow stored by a version that had none.
  package internal(set) var keyBits: KeyBits?
  let journal: Journal
  private var knownParticipants: Participants.Box?
  /// The number of inputs that were taken in this process, to see whether any came between two others.
  package internal(set) var inputs = 0
  /// The consequences of the current input; see ``react(to:)``.
  var reaction = Reaction()

  /// The counters that continue from run to run.
  package struct Numbers: Sendable {
    package internal(set) var run = 0
    package internal(set) var visit = 0
    package internal(set) var question = 0
    package internal(set) var leave = 0
    package internal(set) var track: Int32 = 0

    package init() {}
  }

  /// Whether a visit's answers are journaled, so that the visit can be replayed.
  package enum Journal: Sendable {
    /// Answers are handed to the asker and forgotten.
    case off
    /// Each answer is journaled and handed to the asker. The visit is replayed when the flow is activated later.
    case persisting
    /// Each answer is journaled and the asker is cancelled. A new instance of the step replays the visit.
    case reloading
  }

  /// Whether the keys of journals have the qualified names of prompts and tell the asker. The format of stored flows
  /// decides that.
  package var qualifiesKeys = true
  /// The longest time for which a commit may wait for the next one; `nil` if none waits.
  package var holdTime: Duration?
  /// The time until which commits are held back; `nil` if none is.
  package internal(set) var heldUntil: Duration?
  /// The labels that steps have set, or removed, since the flow was activated.
  package internal(set) var labelChanges: [String: String?] = [:]

  package init(flow: FlowID, numbers: Numbers = Numbers(), journal: Journal = .off) {
    self.flow = flow
    self.numbers = numbers
    self.journal = journal
  }

  /// The principals that have taken part in the run; `nil` if none is known.
  package internal(set) var participants: Participants? {
    get { knownParticipants?.participants }
    set { knownParticipants = newValue.map(Participants.Box.init) }
  }

  /// The errors of `backUp`s that threw on the way to the end, until the run's result is taken.
  package var rollbackErrors: [any Error] { undoFailures.filter { !$0.isOfEarlierLeave }.map(\.error) }

  /// The counters with which a later run continues.
  package var nextNumbers: Numbers { numbers }

  /// Takes the result that `run` returns or throws; `nil` if there is none or it was taken before.
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
  /// The track with this id; a track that has ended if the branch is over.
  package internal(set) subscript(track: TrackID) -> Track {
    get { look(at: track) { copy $0 } }
    @inline(__always) _modify { if track == .main { yield &main } else { yield &branches[track] } }
  }

  /// Calls `body` with a track where it is stored; the subscript copies the track. Use this for whatever runs on every
  /// step.
  ///
  /// The subscript must not lend the track with `_read`: optimized by Swift 6.3, `let focus = self[track].focus` read
  /// the focus of a branch after the coroutine that lent it had ended and was freed.
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

  /// The phase of the flow itself.
  package var phase: Phase { main.phase }

  /// The leave of the flow itself.
  package var leave: Leave? { main.leave }

  /// The tracks of a track's open branches, and those inside them.
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

  /// The track around a branch; `nil` for the flow itself.
  func parent(of track: TrackID) -> TrackID? {
    track == .main ? nil : look(at: track) { $0.branch?.parent }
  }

  /// The tracks on which steps may run: those without open branches, oldest first.
  var leaves: [TrackID] {
    guard main.fork != nil else { return [.main] }
    return ([.main] + descendants(of: .main)).filter { self[$0].phase != .ended && !self[$0].hasOpenBranches }.sorted()
  }

  /// Makes the open branches of a track leave, because the track is being left or the branches are superseded.
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

  /// Closes everything that a track's step has open, because the step is being left or is over.
  mutating func closeEverything(on track: TrackID) {
    releaseHeld(on: track)
    closeQuestion(on: track)
    closeWaits(on: track)
    endPause(of: track)
    dropStart(of: track)
  }

  /// Releases the tasks that are held on a track.
  mutating func releaseHeld(on track: TrackID) {
    guard look(at: track, { $0.isHolding }) else { return }
    with(track) { track in
      track.isHolding = false
      track.heldKeys = []
    }
    perform(.releaseHeld(track))
  }

  mutating func newLeave(
    _ goal: Leave.Goal, of visit: VisitNode?, since: Duration, _ failures: [UndoFailure]? = nil
  ) -> Leave {
    numbers.leave += 1
    return Leave(goal: goal, number: numbers.leave, visit: visit, since: since, failures: failures ?? [])
  }

  /// Whether the leave of this number is still under way.
  package func isUnderWay(_ leave: Int, on track: TrackID) -> Bool {
    look(at: track) { $0.leave?.number == leave }
  }

  /// Throws if no run is under way.
  func requireRun() throws(FlowError) {
    switch phase {
    case .idle: throw error(.notRunning, "no run has begun; wait for one with `settled()`")
    case .ended:
      // A persisted flow has one run.
      throw error(.flowEnded, journal == .persisting ? "the flow has ended" : "the run has ended; `run` starts another")
    case .walking, .leaving, .compensating: return
    }
  }
}
