/// A line of steps with a stack of its own: the flow itself, or a branch of a fork.
package struct Track: Sendable {
  package internal(set) var phase: FlowMachine.Phase
  /// The leave under way; not `nil` exactly while the track is leaving or compensating.
  package internal(set) var leave: Leave?
  /// The newest place of the stack. Its mutable part is the focus.
  var top: Place?
  var focus = Focus()
  /// The visit on top, as shown to observers.
  var visit: VisitNode?
  package internal(set) var asking: Asking?
  /// Whether any visit of the track has asked a question.
  var hasAsked = false
  /// Whether a step of the track was settled, so that no back leads past the track's first step.
  var isSealed = false
  /// The depth of the first place that was left forwards for good (`oneWay`, or a closed fork); -1 if there is none.
  /// Places that were dropped do not count.
  var closedAt: Int32 = -1
  /// The beginning of the next walk, if that is not the place on top. Stays until a place is entered.
  var start: Start?
  /// The branches of the fork on top, from its entering until they are joined.
  var fork: OpenFork?
  /// The signals that the step waits for, oldest first.
  var waits: [SignalBuffer.Waiting] = []
  /// The question and waits that were open in the snapshot, until the step asks for them again.
  var reopening: Reopening?
  /// Whether the track pauses before another attempt.
  var isPausing = false
  /// Whether tasks of the step are held, because they asked for something that was given up in an earlier attempt.
  var isHolding = false
  /// The keys at which tasks are held that may ask again.
  var heldKeys: [JournalKey] = []
  /// The track's identity as a branch; `nil` for the flow itself.
  let branch: Branching?
  /// Whether the track has changed since its view was last made, and whether it was busy then. Maintained by
  /// ``Branches``.
  var hasChanged = false
  var wasBusy: Bool

  init(phase: FlowMachine.Phase = .idle, branch: Branching? = nil) {
    self.phase = phase
    self.branch = branch
    wasBusy = phase == .walking
  }

  /// Whether no back may lead past the track's first step.
  var isClosed: Bool { isSealed || (closedAt >= 0 && (top?.depth ?? -1) > closedAt) }

  /// Notes that a place is left forwards: another place was pushed on it, or the branch has ended with it.
  mutating func close(at place: Place) {
    if let top, top.depth < closedAt { closedAt = -1 }
    if place.closes, closedAt < 0 { closedAt = place.depth }
  }

  /// Whether the fork on top has branches that have not ended.
  var hasOpenBranches: Bool { (fork?.open ?? 0) > 0 }

  /// Whether the track has something to do, other than to wait for an answer, a signal or the clock.
  var isBusy: Bool {
    guard phase == .walking else { return phase != .ended }
    guard let fork else { return (asking == nil || focus.hasOutput) && !isPausing && waits.isEmpty }
    return fork.open == 0 || fork.isBusy
  }

  /// Whether the step may still be executing although it has an open question or wait: (1) a `once` runs, (2) only a
  /// child task is waiting, or (3) fewer questions and waits are open than were open at once.
  var hasAskerAtWork: Bool {
    guard phase == .walking else { return false }
    let open = openAskers
    if open > 0, (focus.memory?.running ?? 0) > 0 { return true }
    if open == 1, asking?.isByChild ?? waits.first?.isByChild ?? false { return true }
    return focus.askersAtOnce > 1 && open < focus.askersAtOnce
  }

  /// The number of open questions and waits; a question and its paired wait count as one.
  var openAskers: Int32 {
    Int32(clamping: waits.count { $0.pairedQuestion == nil }) + (asking == nil ? 0 : 1)
  }

  /// Whether the step has child tasks as far as questions, waits and effects tell: one has a question or wait open, or
  /// had one open in the snapshot and may come back to it, or an effect is under way.
  var mayHaveChild: Bool {
    asking?.isByChild ?? false || waits.contains { $0.isByChild } || reopening?.ofChildren.isEmpty == false
      || (focus.memory?.running ?? 0) > 0
  }

  /// Whether the step's own task has a question or wait open, or an effect is under way.
  var isInOwnCall: Bool {
    asking.map { !$0.isByChild } ?? false || waits.contains { !$0.isByChild } || (focus.memory?.running ?? 0) > 0
  }

  /// Notes that the step has another question or wait open.
  mutating func countAskers() {
    if openAskers > 1 { focus.askersAtOnce = max(focus.askersAtOnce, openAskers) }
  }

  /// Notes that a task that had asked was cancelled.
  mutating func forgetAsker() {
    if focus.askersAtOnce > 0 { focus.askersAtOnce -= 1 }
  }

  /// The start of the walk that an operator has chosen; `nil` if none is leaving the step.
  var operatorsStart: Start? {
    switch leave?.goal {
    case .complete(let payload)?: top.map { Start(.at(address: $0.node.address + 1, payload)) }
    case .enter(let payload)?: Start(.anew(payload))
    default: nil
    }
  }

  /// The scopes at which this track's own end: scopes further out belong to the track around it.
  var outerScopes: ScopeFrame? { branch?.scopes }
}

extension Track: TrackValue {
  static let noBranches: ContiguousArray = [TrackSlot.absent(Track(phase: .ended))]
}

/// The identity of a track as a branch.
package final class Branching: Sendable {
  package let parent: TrackID
  /// The number of the branch within the fork.
  package let number: Int
  package let path: StepID
  /// The numbers of the elements whose branches enclose the track, outermost first. In a `ForEach` the last is its own.
  package let elements: [Int]
  /// The scopes around the fork.
  let scopes: ScopeFrame?

  init(parent: TrackID, number: Int, path: StepID, elements: [Int], scopes: ScopeFrame?) {
    self.parent = parent
    self.number = number
    self.path = path
    self.elements = elements
    self.scopes = scopes
  }
}

/// The branches of a fork while they run.
package struct OpenFork: Sendable {
  /// In the order of the branches.
  package let tracks: [TrackID]
  /// The public views of the branches, as last made.
  var views: SharedList<TrackView>
  /// The number of branches that have not ended.
  var open: Int
  /// The outputs of the branches, in the order in which they ended.
  package internal(set) var results: [(branch: Int, value: any Sendable)] = []
  /// The failure of the fork; the first one counts.
  package internal(set) var failure: (step: StepID, error: any Error)?
  /// The failed `backUp`s of branches that were being left when they ended.
  var failures: [UndoFailure] = []
  /// The number of results about which the goal has been asked.
  var judged = 0
  /// Whether the goal is asked about each result, and whether it is being asked.
  let asksGoal: Bool
  var isJudging = false
  /// Whether the output of the fork is decided, so that the branches still open are superseded.
  var isDecided = false

  init(tracks: [TrackID], asksGoal: Bool, showing views: [TrackView]) {
    self.tracks = tracks
    self.asksGoal = asksGoal
    self.views = SharedList(views)
    open = tracks.count
  }

  package var isOpen: Bool { failure == nil && !isDecided }

  /// Whether the goal is being asked or about to be, or branches are being left.
  var isBusy: Bool { !isOpen || isJudging || (asksGoal && judged < results.count) }

  /// The branches whose results count.
  var winners: Set<TrackID> { Set((isDecided ? results.prefix(judged) : results[...]).map { tracks[$0.branch] }) }
}

/// The beginning of a walk that does not begin with the `proceed` of the place on top.
package final class Start: Sendable {
  package enum Kind: Sendable {
    /// Begin with the instruction at this address.
    case at(address: Int, Payload)
    /// Begin with the `proceed` of the place on top.
    case top
    /// Begin with another entering of the step on top, with this payload, in a place of its own.
    case anew(Payload)
    /// Begin with the closure of a recovery, because this step has failed.
    case recovery(StepID, ScopeFrame, any Error)
    /// Begin with a failure, which these outer scopes are asked to handle.
    case failure(StepID, any Error, ScopeFrame?)
  }

  package let kind: Kind
  /// The time to wait before the walk begins.
  package let pause: Duration
  /// The update that the step on top receives before its `proceed` is called.
  package let handover: Handover?

  init(_ kind: Kind, pause: Duration = .zero, handover: Handover? = nil) {
    self.kind = kind
    self.pause = pause
    self.handover = handover
  }
}

/// An update on its way to a step. A class, because every track has room for one and hardly any has one.
package final class Handover: Sendable {
  package let receiver: StepTypes.Receiver
  package let update: any Sendable

  init(receiver: StepTypes.Receiver, update: any Sendable) {
    (self.receiver, self.update) = (receiver, update)
  }
}

/// A leave under way on one track: its goal, and its failures so far. Immutable, and replaced to change it, because it
/// is read more often than changed.
package final class Leave: Sendable {
  package enum Goal: Sendable {
    /// Back up to the place at this depth, and then hand it the update, if there is one.
    case back(to: Int, Handover?)
    /// End the flow: leave every place.
    case end(Ending, rollBack: Bool)
    /// Stay in the same visit with a new instance of its step, which replays the journal.
    case reload
    /// Leave a scope that handles a failure.
    case unwind(Unwinding)
    /// Stay where the track is, and walk on behind the step on top with this payload, in which an operator has put the
    /// step's output.
    case complete(Payload)
    /// Stay where the track is, and enter the step on top anew with this payload, in which an operator has put another
    /// input.
    case enter(Payload)
    /// Roll back the superseded branches of the fork on top; then walk on with this payload.
    case dropSuperseded(Payload)
    /// Leave because a track further out is left or no longer needs this branch. That track compensates the places.
    case supersede
  }

  package let goal: Goal
  /// The number that identifies the leave.
  package let number: Int
  /// The visit that is left; `nil` if none was entered yet.
  package let visit: VisitNode?
  /// The time at which the request was accepted, from the run's start.
  package let since: Duration
  /// The `backUp`s that threw, in the order in which they ran.
  let failures: [UndoFailure]
  /// Whether the ending was published.
  let isAnnounced: Bool

  init(
    goal: Goal, number: Int, visit: VisitNode?, since: Duration, failures: [UndoFailure] = [],
    isAnnounced: Bool = false
  ) {
    self.goal = goal
    self.number = number
    self.visit = visit
    self.since = since
    self.failures = failures
    self.isAnnounced = isAnnounced
  }

  /// This leave with its ending published.
  var announced: Leave {
    Leave(goal: goal, number: number, visit: visit, since: since, failures: failures, isAnnounced: true)
  }

  /// The errors of the `backUp`s that threw.
  package var errors: [any Error] { failures.map(\.error) }

  /// Returns this leave after further `backUp`s threw.
  func adding(_ more: [UndoFailure]) -> Leave {
    guard !more.isEmpty else { return self }
    return Leave(
      goal: goal, number: number, visit: visit, since: since, failures: failures + more, isAnnounced: isAnnounced)
  }

  package var reason: LeaveReason {
    switch goal {
    // A back had failed to undo something, and the flow has finished since.
    case .back, .reload, .end(.finished, _): .back
    case .end(.abandoned(let reason), _): .abandoned(reason: reason)
    case .end(.failed, _): .failed
    case .end(_, _): .cancelled
    case .unwind(let unwinding): unwinding.isTimeout ? .timedOut : .failed
    case .dropSuperseded, .supersede: .superseded
    case .complete: .completed
    case .enter: .enteredAnew
    }
  }

  var isReload: Bool {
    if case .reload = goal { true } else { false }
  }

  /// Whether an operator has said how the walk goes on: the place on top stays, and what follows is decided.
  package var isOperators: Bool {
    switch goal {
    case .complete, .enter: true
    case .back, .end, .reload, .unwind, .dropSuperseded, .supersede: false
    }
  }

  /// Whether the machine began the leave without a request; a request from outside then replaces it.
  var yields: Bool {
    switch goal {
    case .unwind, .dropSuperseded, .reload: true
    case .back, .end, .supersede, .complete, .enter: false
    }
  }
}

/// A `backUp` that threw.
package struct UndoFailure: Sendable {
  package let error: any Error
  /// The place that still has to be compensated, with its memory; `nil` if the flow is not persisted.
  let place: Place?
  /// Whether the flow went on after the leave.
  var isOfEarlierLeave = false
}

/// A failure that unwinds a scope: everything inside is compensated, then the scope acts.
package struct Unwinding: Sendable {
  package let frame: ScopeFrame
  /// The step that failed or took too long.
  package let step: StepID
  package let error: any Error
  package let isTimeout: Bool
}
