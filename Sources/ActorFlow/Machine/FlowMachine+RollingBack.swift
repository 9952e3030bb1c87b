// The phases after a walk: compensation, landing, the end.
extension FlowMachine {
  /// The next thing that a track does.
  package enum Turn: Sendable {
    /// Walk from the track's start.
    case start
    /// Walk from this place, whose `proceed` is called again.
    case proceed(Place)
    /// Make a new instance for this place, then walk from it.
    case reload(Place)
    /// Call `backUp`, report its end to ``compensated(_:on:)``, then ask for the next turn.
    case compensate(Place, LeaveReason)
    /// Ask for the next turn; something was published.
    case again
    case ended
  }

  /// Decides what a track without a walk does next.
  ///
  /// This is one turn of the loop "newest place first: not yet compensated: compensate; else the target: land; else
  /// drop it". Each turn reads the goal again.
  package mutating func turn(on track: TrackID = .main) -> Turn {
    let turn = next(on: track)
    switch turn {
    case .start, .proceed, .reload: perform(.startWalk(track))
    case .compensate, .again, .ended: break
    }
    return turn
  }

  private mutating func next(on track: TrackID) -> Turn {
    switch look(at: track, { $0.phase }) {
    case .idle, .ended: return .ended
    case .walking:
      needsNoCommit()
      return look(at: track) { $0.start == nil } ? .ended : .start
    case .leaving, .compensating: break
    }
    guard let leave = look(at: track, { $0.leave }) else { return .ended }
    switch leave.goal {
    case .reload: return reload(on: track)
    case .complete, .enter: return goOn(on: track)
    case .supersede:
      endBranch(track)
      return .ended
    case .dropSuperseded(let payload):
      if let turn = compensateTop(on: track, until: { $0.node.fork != nil && !$0.isInner }) { return turn }
      dropSuperseded(leave, making: payload, on: track)
      return .start
    case .back, .end, .unwind: break
    }
    with(track) { $0.phase = .compensating }
    if !branches.isEmpty { buryBranches(of: track) }
    // Read again, because it has got the failures of the branches.
    guard let leave = look(at: track, { $0.leave }) else { return .ended }
    switch leave.goal {
    case .back(let depth, let handover):
      if let turn = compensateTop(on: track, landing: true, until: { $0.depth == depth }) { return turn }
      return land(leave, handover, on: track)
    case .unwind(let unwinding):
      if let turn = compensateTop(on: track, until: { !$0.isWithin(unwinding.frame) }) { return turn }
      unwound(leave, unwinding, on: track)
      return .start
    case .end(let ending, let rollBack):
      if !rollBack, let turn = compensateTop(on: track, onlyFinalizers: true, until: { !$0.owesFinalizer }) {
        return turn
      }
      if !leave.isAnnounced { return announce(ending, rollBack: rollBack) }
      if let turn = compensateTop(on: track, until: { _ in false }) { return turn }
      end(ending, outcome(of: ending), as: .rolledBack(errors: leave.errors), at: nil)
      return .ended
    case .reload, .dropSuperseded, .supersede, .complete, .enter: return .ended
    }
  }

  /// Notes that the `backUp` of the top place has returned, or has thrown `error`.
  package mutating func compensated(_ error: (any Error)?, on track: TrackID = .main) {
    let keeps = journal == .persisting
    if let forgotten = with(track, { $0.compensated(error, keeps: keeps) }) { discard(forgotten) }
  }

  /// Stores the new instance of a reloaded place. Returns `nil` if a leave came first, so that `proceed` is not called.
  package mutating func reloaded(_ instance: StepInstance?, on track: TrackID = .main) -> Place? {
    needsNoCommit()
    return with(track) { track in
      guard track.phase == .walking else {
        track.notBegun()
        return nil
      }
      track.top = track.top?.with(instance)
      return track.top
    }
  }

  /// Returns the top place to compensate, and drops those that need no compensation; `nil` when the place that stays is
  /// reached. A place that is landed on is compensated, too.
  ///
  /// - Parameter onlyFinalizers: Whether the effects of steps stay, so that only finalizers run.
  private mutating func compensateTop(
    on track: TrackID, landing: Bool = false, onlyFinalizers: Bool = false, until isReached: (Place) -> Bool
  ) -> Turn? {
    while true {
      let undoing = with(track) { track in
        if onlyFinalizers, track.top?.node.finalizer == nil { track.focus.isEntered = false }
        return track.compensateTop(landing: landing, until: isReached)
      }
      switch undoing {
      case .compensate(let place, let reason): return .compensate(place, reason)
      case .dropped(let place, let memory):
        discard(place)
        if let memory { discard(memory) }
      case .reached: return nil
      }
    }
  }
}

extension Track {
  /// Notes that the `proceed` of the place on top is not called. No `backUp` is owed then, unless an earlier call
  /// belongs to the same entering: before a replay, before another attempt, and when a hub's menu is resumed (rule 2).
  mutating func notBegun() {
    // The entering is in the store, with what the operator has decided.
    if leave?.isOperators == true { return }
    if !focus.attempt.isReplay, !focus.isResumed { focus.isEntered = false }
  }

  fileprivate enum Undoing {
    case compensate(Place, LeaveReason)
    case dropped(Place, PlaceMemory?)
    /// The place that stays is reached, or none is left.
    case reached
  }

  fileprivate mutating func compensateTop(landing: Bool, until isReached: (Place) -> Bool) -> Undoing {
    sortTop(until: isReached)
    guard let top else { return .reached }
    if !landing, isReached(top) { return .reached }
    if focus.isEntered {
      focus.hasReturned = false
      return .compensate(top, leave?.reason ?? .back)
    }
    if isReached(top) { return .reached }
    let below = top.below
    let memory = focus.memory
    self.top = below
    // If the ordinary back from a place leads to the one below, that one has asked a question. An inner place does not
    // tell.
    let hasAsked = top.isInner ? focus.hasAsked : below?.shown.map(top.leadsBack) ?? false
    focus = Focus(
      isEntered: below?.visit.isSkipped == false, hasAsked: hasAsked, hasReturned: true,
      memory: below?.memory?.memory)
    return .dropped(top, memory)
  }

  /// Moves a hub's menu below the side branches that have ended since it was entered, if they are to be compensated as
  /// well: one order of rollback, newest entering first, inside a fork and outside (rule 4).
  ///
  /// Until then the menu is above them, because it is the place that runs, and a back that lands on the menu does not
  /// undo its finished side branches.
  private mutating func sortTop(until isReached: (Place) -> Bool) {
    guard focus.isEntered, let top, !isReached(top), top.below?.isInner == true else { return }
    var newer: [Place] = []
    var below = top.below
    while let place = below, place.isInner, place.visit.id > top.visit.id, !isReached(place) {
      newer.append(place)
      below = place.below
    }
    guard let newest = newer.first else { return }
    let menu = focus.memory.map(top.remembering) ?? top
    var sorted = menu.copy(on: below, instance: menu.instance)
    for place in newer.reversed() { sorted = place.copy(on: sorted, instance: place.instance) }
    self.top = sorted
    focus = Focus(isEntered: true, hasAsked: focus.hasAsked, hasReturned: true, memory: newest.memory?.memory)
  }

  /// - Parameter keeps: Whether a place whose `backUp` threw is stored, so that it can be compensated again after the
  ///   end.
  /// - Returns: The memory that is forgotten. Records outlive a `backUp` that threw: a retry must not charge twice.
  fileprivate mutating func compensated(_ error: (any Error)?, keeps: Bool) -> PlaceMemory? {
    if let error {
      let place = keeps ? top?.remembering(focus.memory ?? PlaceMemory()) : nil
      leave = leave?.adding([UndoFailure(error: error, place: place)])
    }
    focus.isEntered = false
    guard error == nil, let memory = focus.memory else { return nil }
    // The state of a rendered step is still there when a back lands on it.
    focus.memory = memory.tree.map { PlaceMemory(tree: $0) }
    return memory
  }
}

// MARK: - Arriving

extension FlowMachine {
  /// Keeps the `backUp`s that threw during a leave after which the flow goes on, so that they can be called again.
  ///
  /// - Parameter landed: The visit of the place that stays on the stack, if that was compensated as well.
  mutating func keep(_ failures: [UndoFailure], besides landed: VisitID? = nil) {
    for failure in failures {
      guard let place = failure.place, place.visit.id != landed else { continue }
      // Inner, because it may come from a branch, and no back leads to it.
      undoFailures.append(
        UndoFailure(error: failure.error, place: place.buried(on: nil, memory: place.memory), isOfEarlierLeave: true))
    }
  }

  private mutating func land(_ leave: Leave, _ handover: Handover?, on track: TrackID) -> Turn {
    guard let target = look(at: track, { $0.top }), let from = leave.visit else { return .ended }
    numbers.visit += 1
    let visit = VisitNode(
      id: VisitID(numbers.visit), info: target.visit.info, below: target.visit.below, isSkipped: false,
      canBackUp: target.backTarget >= 0)
    let landed = target.visited(as: visit)
    with(track) { track in
      track.top = landed
      track.visit = visit
      // If `backUp` threw, the records are still here. The answers belong to the visit that is over.
      track.focus.memory?.forgetAnswers()
      // A step that receives an update first is entered again only after that.
      track.focus = Focus(
        isEntered: handover == nil, isLanded: handover == nil, memory: track.focus.memory.take())
    }
    remember(handover, on: track)
    walkAgain(on: track, handover == nil ? nil : Start(.top, handover: handover), under: landed.payload.scopes)
    // The caller who backed up is active.
    if timers.hasIdle { timers.forgetIdle(on: lineage(of: track)) }
    lastLanded = leave.number
    // The place that is landed on keeps its records, and owes its `backUp` once more.
    keep(leave.failures, besides: target.visit.id)
    publish(.backedUp(from: Visit(from), to: Visit(visit), errors: leave.errors))
    return .proceed(landed)
  }

  /// Begins what the scope does next, after everything inside it was compensated.
  private mutating func unwound(_ leave: Leave, _ unwinding: Unwinding, on track: TrackID) {
    let frame = unwinding.frame
    let start: Start
    switch frame.scope.kind {
    case .retry(_, let backoff) where !unwinding.isTimeout:
      let next = frame.again
      start = Start(
        .at(address: frame.start, frame.payload.within(next)), pause: backoff.delay(after: frame.attempt))
    case .recover where !unwinding.isTimeout: start = Start(.recovery(unwinding.step, frame, unwinding.error))
    case .retry, .recover, .timeout, .expiry, .guarded:
      start = Start(.failure(unwinding.step, unwinding.error, frame.below))
    }
    walkAgain(on: track, start, under: frame.below)
    let landed = top(of: track)?.shown?.visit
    // At the track's beginning the last visit stays in focus until another place is entered (rule 5). Those below it
    // are compensated like the visit itself, so the stack shows it alone.
    self[track].visit = landed ?? self[track].visit?.alone
    keep(leave.failures)
    publish(.unwound(to: landed.map(Visit.init), errors: leave.errors))
  }

  /// Goes on after the superseded branches were rolled back; the others become inner places.
  private mutating func dropSuperseded(_ leave: Leave, making payload: Payload, on track: TrackID) {
    guard let fork = top(of: track)?.node, let visit = visit(of: track) else { return }
    // The instruction after the fork is the jump over its branches.
    walkAgain(on: track, Start(.at(address: fork.address + 1, payload)), under: payload.scopes)
    joined(visit, leave.failures, on: track)
  }

  private mutating func walkAgain(on track: TrackID, _ start: Start?, under scopes: ScopeFrame?) {
    dropStart(of: track)
    with(track) { track in
      track.start = start
      track.phase = .walking
      track.leave = nil
    }
    timers.keep(only: scopes, on: track)
  }

  /// Walks on as an operator has chosen: behind the step on top, or with another place of it. A snapshot of the leave
  /// says the same, so nothing is to be committed.
  private mutating func goOn(on track: TrackID) -> Turn {
    let (start, scopes) = look(at: track) { ($0.operatorsStart, $0.top?.payload.scopes) }
    guard let start else { return .ended }
    needsNoCommit()
    walkAgain(on: track, start, under: scopes)
    // A leave that comes before the walk begins owes the step's `backUp`, also if the visit has begun with a landing.
    with(track) { $0.focus.hasReturned = true }
    return .start
  }

  private mutating func reload(on track: TrackID) -> Turn {
    let top = with(track) { track in
      track.phase = .walking
      track.leave = nil
      track.focus.hasReturned = false
      track.focus.attempt = ProceedCall(isReplay: true)
      return track.top
    }
    guard let place = top else { return .ended }
    // A timer that was due during the reload did not count.
    timers.keep(only: place.payload.scopes, on: track)
    return .reload(place)
  }

  private mutating func announce(_ ending: Ending, rollBack: Bool) -> Turn {
    let change: Change =
      switch ending {
      case .abandoned(let reason): .abandoned(reason: reason)
      default: .cancelled
      }
    guard rollBack else {
      end(ending, outcome(of: ending), as: change, at: stack(of: .main))
      return .ended
    }
    main.leave = main.leave?.announced
    publish(change)
    return .again
  }

  /// Returns the outcome of `run`. A failure has stored its error already.
  private func outcome(of ending: Ending) -> Result<any Sendable, any Error> {
    switch ending {
    case .abandoned(let reason):
      .failure(error(.abandoned, reason.isEmpty ? "the flow was abandoned" : reason))
    case .failed: result ?? .failure(error(.stepFailed, "a step failed"))
    default: .failure(CancellationError())
    }
  }
}
