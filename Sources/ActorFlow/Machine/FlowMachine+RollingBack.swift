// What comes after a walk: compensation, landing, the end.
extension FlowMachine {
  /// What the run does next.
  package enum Turn: Sendable {
    /// Walk from the beginning.
    case start
    /// Walk from this place, whose `proceed` is called again.
    case proceed(Place)
    /// Make a new instance for this place, then walk from it.
    case reload(Place)
    /// Call `backUp`, then tell ``compensated(_:)``, then ask again.
    case compensate(Place, LeaveReason)
    /// Something was published; ask again.
    case again
    case ended
  }

  /// No walk is under way: decides what comes next. One turn of the loop "newest place first: not yet compensated:
  /// compensate; else the target: land; else drop it". The goal is read anew at every turn.
  package mutating func turn() -> (Turn, NavigationEvent?) {
    switch phase {
    case .idle, .ended: return (.ended, nil)
    case .walking: return (launchCargo == nil ? .ended : .start, nil)
    case .leaving, .compensating: break
    }
    guard let leave else { return (.ended, nil) }
    switch leave.goal {
    case .reload: return reload()
    case .back(let depth):
      phase = .compensating
      if let turn = compensateTop(unlessAt: depth) { return (turn, nil) }
      return land(leave)
    case .end(let ending, let rollBack):
      phase = .compensating
      if !leave.isAnnounced { return announce(ending, rollBack: rollBack) }
      if let turn = compensateTop(unlessAt: -1) { return (turn, nil) }
      let event = end(ending, outcome(of: ending), as: .rolledBack(errors: leave.errors), at: nil)
      return (.ended, event)
    }
  }

  /// `backUp` of the top place has returned, or thrown `error`.
  package mutating func compensated(_ error: (any Error)?) {
    if let error { leave?.errors.append(error) }
    focus.isEntered = false
    // A record outlives a `backUp` that threw: a retry must not charge twice.
    guard error == nil, let memory = focus.memory else { return }
    focus.memory = nil
    discard(memory)
  }

  /// A reloaded place has its new instance. Nil: a leave came first.
  package mutating func reloaded(_ instance: StepInstance?) -> Place? {
    guard phase == .walking else { return nil }
    top = top?.with(instance)
    return top
  }

  /// The top place to compensate; drops those that need none, down to the one at `depth`; nil when that one is reached.
  private mutating func compensateTop(unlessAt depth: Int) -> Turn? {
    while let top {
      if focus.isEntered {
        focus.hasReturned = false
        return .compensate(top, leave?.reason ?? .back)
      }
      if top.depth == depth { return nil }
      discard(top)
      self.top = top.below
      focus = Focus(isEntered: top.below?.visit.isSkipped == false, memory: top.below?.memory?.memory)
    }
    return nil
  }

  private mutating func land(_ leave: Leave) -> (Turn, NavigationEvent?) {
    guard let target = top, let from = leave.visit else { return (.ended, nil) }
    numbers.visit += 1
    let landed = target.visited(
      as: VisitNode(
        id: VisitID(numbers.visit), info: target.node.info, below: target.visit.below, isSkipped: false,
        canBackUp: target.backTarget >= 0))
    top = landed
    // Of a `backUp` that threw the records are still here; the answers belong to the visit that is over.
    focus.memory?.answers = [:]
    focus = Focus(isEntered: true, memory: focus.memory)
    phase = .walking
    self.leave = nil
    let change = Change.backedUp(from: Visit(from), to: Visit(landed.visit), errors: leave.errors)
    return (.proceed(landed), publish(change))
  }

  private mutating func reload() -> (Turn, NavigationEvent?) {
    phase = .walking
    leave = nil
    focus.hasReturned = false
    focus.attempt = Attempt(isReplay: true)
    guard let place = top else { return (.ended, nil) }
    return (.reload(place), nil)
  }

  private mutating func announce(_ ending: Ending, rollBack: Bool) -> (Turn, NavigationEvent?) {
    let change: Change =
      switch ending {
      case .abandoned(let reason): .abandoned(reason: reason)
      default: .cancelled
      }
    guard rollBack else { return (.ended, end(ending, outcome(of: ending), as: change, at: stack)) }
    leave?.isAnnounced = true
    return (.again, publish(change))
  }

  /// What `run` is to throw. A failure has written down its error already.
  private func outcome(of ending: Ending) -> Result<any Sendable, any Error> {
    switch ending {
    case .abandoned(let reason):
      .failure(error(.abandoned, reason.isEmpty ? "the flow was abandoned" : reason))
    case .failed: result ?? .failure(error(.stepFailed, "a step failed"))
    default: .failure(CancellationError())
    }
  }
}
