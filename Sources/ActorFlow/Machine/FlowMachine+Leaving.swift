// The requests to leave, and what each does while another leave is under way.
extension FlowMachine {
  /// What a request to leave asks to be carried out.
  package struct Leaving: Sendable {
    /// Nil if the request joined a leave that was under way, or if there is no visit to leave.
    package internal(set) var event: NavigationEvent?
    /// Whether the walk is to be cancelled now.
    package internal(set) var cancelsWalk: Bool
  }

  /// Somebody asks to back up: to the nearest earlier place that asked, or to the nearest one named `step`.
  package mutating func backUp(to step: StepID? = nil, since: Duration) throws(FlowError) -> Leaving {
    try requireRun()
    if let leave, !leave.isReload {
      if case .back = leave.goal {
        throw error(.moving, "the flow is already backing up; wait until it has landed")
      }
      throw error(.ending, "the flow is ending; there is no way back")
    }
    let target = try backTarget(to: step)
    return accept(.back(to: target), since: since)
  }

  /// A step asks to back up from inside.
  package mutating func backUp(from visit: VisitID, since: Duration) throws -> Leaving {
    _ = try activePlace(of: visit, to: "back up")
    return accept(.back(to: try backTarget(to: nil)), since: since)
  }

  /// Somebody asks to abandon the flow.
  package mutating func abandon(reason: String, rollBack: Bool, since: Duration) throws(FlowError) -> Leaving {
    try requireRun()
    return accept(.end(.abandoned(reason: reason), rollBack: rollBack), since: since)
  }

  /// A step asks to abandon the flow from inside.
  package mutating func abandon(_ reason: String, from visit: VisitID, since: Duration) throws -> Leaving {
    _ = try activePlace(of: visit, to: "abandon")
    return accept(.end(.abandoned(reason: reason), rollBack: true), since: since)
  }

  /// The task that called `run` was cancelled.
  package mutating func cancel(since: Duration) -> Leaving {
    switch phase {
    case .idle, .ended: Leaving(event: nil, cancelsWalk: false)
    case .walking, .leaving, .compensating: accept(.end(.cancelled, rollBack: true), since: since)
    }
  }

  /// The table "while leaving", for requests that are not refused: the first leave begins; an ending takes a back's
  /// target away; everything else joins.
  private mutating func accept(_ goal: Leave.Goal, since: Duration) -> Leaving {
    guard var leave, !leave.isReload else {
      // A reload has cancelled the walk already; what is asked for now takes its place.
      let cancelsWalk = phase == .walking
      leave = Leave(goal: goal, visit: stack, since: since)
      phase = .leaving
      closeQuestion()
      return Leaving(event: leavingEvent(), cancelsWalk: cancelsWalk)
    }
    guard case .back = leave.goal else { return Leaving(event: nil, cancelsWalk: false) }
    leave.goal = goal
    self.leave = leave
    return Leaving(event: leavingEvent(), cancelsWalk: false)
  }

  private mutating func leavingEvent() -> NavigationEvent? {
    guard let leave, let visit = leave.visit else { return nil }
    return publish(.leaving(Visit(visit), leave.reason))
  }

  private func backTarget(to step: StepID?) throws(FlowError) -> Int {
    guard let current = top else {
      throw error(.cannotBackUp, "no step has been entered yet, so there is no earlier one")
    }
    let here = current.node.info.id
    guard let step else {
      guard current.backTarget >= 0 else {
        throw error(
          .cannotBackUp, "no earlier step that asked a question can be returned to; `abandon` leaves the flow",
          step: here)
      }
      return Int(current.backTarget)
    }
    let found = current.search { place -> BackUpPolicy? in
      if place.node.backUp == .oneWay || step.matches(place.node.info.id) { place.node.backUp } else { nil }
    }
    guard let (target, policy) = found else {
      throw error(.cannotBackUp, "no earlier step is called \"\(step)\"", step: here)
    }
    switch policy {
    case .oneWay:
      throw error(.cannotBackUp, "a one-way step was left forwards; \"\(step)\" cannot be returned to", step: here)
    case .passThrough: throw error(.cannotBackUp, "\"\(step)\" is passed through and never returned to", step: here)
    case .automatic, .returnable, .returnableIfSkipped, .settling: return Int(target.depth)
    }
  }
}
