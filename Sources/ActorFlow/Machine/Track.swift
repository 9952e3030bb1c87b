/// One line of steps with a stack of its own: the flow itself, or a branch of a fork.
package struct Track: Sendable {
  package internal(set) var phase: FlowMachine.Phase
  /// The leave under way; there is one exactly while leaving or compensating.
  package internal(set) var leave: Leave?
  /// The newest place of the stack, and what still changes about it.
  var top: Place?
  var focus = Focus()
  /// The visit on top, as the world sees it.
  var visit: VisitNode?
  package internal(set) var asking: Asking?
  /// Whether any of its visits has asked a question.
  var hasAsked = false
  /// Whether one of its steps was settled, so that nobody returns past its first.
  var isSealed = false
  /// How deep the first place lies that was left forwards for good, with `oneWay`; -1 if there is none. Dropped places
  /// do not count.
  var closedAt: Int32 = -1
  /// Where the next walk begins, if not with the place on top. Kept until a place is entered.
  var start: Start?
  /// The branches of the fork on top, from its entering until they are joined.
  var fork: OpenFork?
  /// The signals its step waits for, oldest first.
  var waits: [SignalBuffer.Waiting] = []
  /// What was open when the machine was read back, until the step asks for it again.
  var reopening: Reopening?
  /// Whether it waits for the clock before another attempt.
  var isPausing = false
  /// Whether tasks of its step are held, which came for something that was given up in an earlier attempt.
  var isHolding = false
  /// Whose branch it is; nil for the flow itself.
  let branch: Branching?
  /// Whether it has changed since it was shown last, and whether it was busy then. A matter of ``Branches``.
  var hasChanged = false
  var wasBusy: Bool

  init(phase: FlowMachine.Phase = .idle, branch: Branching? = nil) {
    self.phase = phase
    self.branch = branch
    wasBusy = phase == .walking
  }

  /// Whether nobody returns past its first step.
  var isClosed: Bool { isSealed || (closedAt >= 0 && (top?.depth ?? -1) > closedAt) }

  /// A place came to stand on this one, or the branch has ended with it.
  mutating func close(at place: Place) {
    if let top, top.depth < closedAt { closedAt = -1 }
    if place.closes, closedAt < 0 { closedAt = place.depth }
  }

  /// Whether it stands before a fork of which not all branches have ended.
  var hasOpenBranches: Bool { (fork?.open ?? 0) > 0 }

  /// Whether it has something to do, other than to wait for somebody outside or for the clock.
  var isBusy: Bool {
    guard phase == .walking else { return phase != .ended }
    guard let fork else { return (asking == nil || focus.hasOutput) && !isPausing && waits.isEmpty }
    return fork.open == 0 || fork.isBusy
  }

  /// Whether one of its step's tasks may be at work beside what is open: a `once` is under way; or a child task alone has
  /// something open, and the step's own is somewhere else; or once more was open, and nobody has said since that the task
  /// is done.
  var hasAskerAtWork: Bool {
    guard phase == .walking else { return false }
    let open = openAskers
    if open > 0, (focus.memory?.running ?? 0) > 0 { return true }
    if open == 1, asking?.isByChild ?? waits.first?.isByChild ?? false { return true }
    return focus.askersAtOnce > 1 && open < focus.askersAtOnce
  }

  private var openAskers: Int32 { Int32(clamping: waits.count) + (asking == nil ? 0 : 1) }

  /// Something more is open.
  mutating func countAskers() {
    if openAskers > 1 { focus.askersAtOnce = max(focus.askersAtOnce, openAskers) }
  }

  /// A task that had asked was cancelled.
  mutating func forgetAsker() {
    if focus.askersAtOnce > 0 { focus.askersAtOnce -= 1 }
  }

  /// Whether the scopes of this track end here: what stands further out is the business of the track around it.
  var outerScopes: ScopeFrame? { branch?.scopes }
}

extension Track: TrackValue {
  static let noBranches: ContiguousArray = [TrackSlot.absent(Track(phase: .ended))]
}

/// What a track is, as a branch.
package final class Branching: Sendable {
  package let parent: TrackID
  /// Which of the fork's branches.
  package let number: Int
  package let path: StepID
  /// The numbers of the elements whose branches it lies in, outermost first; its own is the last.
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
  /// What the world was shown of them last.
  var views: SharedList<TrackView>
  /// How many have not ended.
  var open: Int
  /// What the branches made, oldest first.
  package internal(set) var results: [(branch: Int, value: any Sendable)] = []
  /// What made it fail; the first failure counts.
  package internal(set) var failure: (step: StepID, error: any Error)?
  /// What `backUp`s threw in branches that were backing up when they became superfluous.
  var failures: [UndoFailure] = []
  /// About how many of the results the goal has been asked.
  var judged = 0
  /// Whether the goal is asked about each result, and whether it is being asked.
  let asksGoal: Bool
  var isJudging = false
  /// Whether what it makes is decided, so that the branches still open are superfluous.
  var isDecided = false

  init(tracks: [TrackID], asksGoal: Bool, showing views: [TrackView]) {
    self.tracks = tracks
    self.asksGoal = asksGoal
    self.views = SharedList(views)
    open = tracks.count
  }

  package var isOpen: Bool { failure == nil && !isDecided }

  /// Whether its goal is being asked or about to be, or branches are on their way back.
  var isBusy: Bool { !isOpen || isJudging || (asksGoal && judged < results.count) }

  /// The branches whose results count.
  var winners: Set<TrackID> { Set((isDecided ? results.prefix(judged) : results[...]).map { tracks[$0.branch] }) }
}

/// Where a walk begins, if not by calling the `proceed` of the place on top.
package final class Start: Sendable {
  package enum Kind: Sendable {
    /// With the instruction at this address.
    case at(address: Int, Payload)
    /// With the `proceed` of the place on top.
    case top
    /// With the closure of a recovery, because this step has failed.
    case recovery(StepID, ScopeFrame, any Error)
    /// With a failure that the next scope further out is asked about.
    case failure(StepID, any Error, ScopeFrame?)
  }

  package let kind: Kind
  /// How long to wait before that.
  package let pause: Duration
  /// What the step on top is to receive before its `proceed` is called.
  package let handover: Handover?

  init(_ kind: Kind, pause: Duration = .zero, handover: Handover? = nil) {
    self.kind = kind
    self.pause = pause
    self.handover = handover
  }
}

/// An update on its way to a step. A class, because hardly any track has one and each keeps room for it.
package final class Handover: Sendable {
  package let receiver: StepTypes.Receiver
  package let update: any Sendable

  init(receiver: StepTypes.Receiver, update: any Sendable) {
    (self.receiver, self.update) = (receiver, update)
  }
}

/// A leave under way on one track: where it is going, and what has come of it so far. Replaced where it changes: it is
/// looked at more often than that.
package final class Leave: Sendable {
  package enum Goal: Sendable {
    /// Back to the place at this depth, which then receives the update, if there is one.
    case back(to: Int, Handover?)
    /// Down to the bottom.
    case end(Ending, rollBack: Bool)
    /// Nowhere: the same visit goes on with a new instance of its step, which replays what is in the journal.
    case reload
    /// Out of a scope that does something about a failure.
    case unwind(Unwinding)
    /// Out of the branches of the fork on top that are superfluous; then the walk goes on with this.
    case dropSuperseded(Payload)
    /// A track further out is left. That one undoes what this one did.
    case supersede
  }

  package let goal: Goal
  /// Tells one leave from another.
  package let number: Int
  /// The visit that is left; nil if none was entered yet.
  package let visit: VisitNode?
  /// When the request was accepted, from the run's start.
  package let since: Duration
  /// The `backUp`s that threw, in the order they ran.
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

  /// The same leave, whose ending was published.
  var announced: Leave {
    Leave(goal: goal, number: number, visit: visit, since: since, failures: failures, isAnnounced: true)
  }

  /// What they threw.
  package var errors: [any Error] { failures.map(\.error) }

  /// The same leave, after these `backUp`s threw.
  func adding(_ more: [UndoFailure]) -> Leave {
    guard !more.isEmpty else { return self }
    return Leave(
      goal: goal, number: number, visit: visit, since: since, failures: failures + more, isAnnounced: isAnnounced)
  }

  package var reason: LeaveReason {
    switch goal {
    case .back, .reload: .back
    case .end(.abandoned(let reason), _): .abandoned(reason: reason)
    case .end(.failed, _): .failed
    case .end(_, _): .cancelled
    case .unwind(let unwinding): unwinding.isTimeout ? .timedOut : .failed
    case .dropSuperseded, .supersede: .superseded
    }
  }

  var isReload: Bool {
    if case .reload = goal { true } else { false }
  }

  /// Whether it is the flow's own affair: nobody asked for it, so a request from outside takes its place.
  var yields: Bool {
    switch goal {
    case .unwind, .dropSuperseded, .reload: true
    case .back, .end, .supersede: false
    }
  }
}

/// A `backUp` that threw.
package struct UndoFailure: Sendable {
  package let error: any Error
  /// What is still to be undone, with what it remembers; nil where flows are not kept.
  let place: Place?
}

/// A failure on its way out of a scope: everything inside is compensated, then the scope acts.
package struct Unwinding: Sendable {
  package let frame: ScopeFrame
  /// The step that failed, or that took too long.
  package let step: StepID
  package let error: any Error
  package let isTimeout: Bool
}
