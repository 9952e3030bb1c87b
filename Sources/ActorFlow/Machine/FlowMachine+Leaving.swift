// The requests to leave, and what each does while another leave is under way.
extension FlowMachine {
  /// What a request to leave asks to be carried out.
  package struct Leaving: Sendable {
    /// Nil if the request joined a leave that was under way, or if there is no visit to leave.
    package internal(set) var event: NavigationEvent?
    /// Whether the walk is to be cancelled now.
    package internal(set) var cancelsWalk: Bool
    /// Which track is left.
    package internal(set) var track = TrackID.main
    /// Which leave it is.
    package internal(set) var number = 0
  }

  /// Somebody asks to back up: to the nearest earlier place that asked, or to the nearest one named `step`.
  package mutating func backUp(to step: StepID? = nil, since: Duration) throws(FlowError) -> Leaving {
    try requireRun()
    try refuseStandingStill()
    return try backUp(from: leaves, to: step, since: since)
  }

  /// Somebody asks to back up from the step that asks a question.
  package mutating func backUp(from question: Question.ID, since: Duration) throws(FlowError) -> Leaving {
    let track = try self.track(asking: question)
    try refuseStandingStill()
    return try backUp(from: [track], to: nil, since: since)
  }

  /// A step asks to back up from inside.
  package mutating func backUp(from visit: VisitID, on track: TrackID = .main, since: Duration) throws -> Leaving {
    _ = try activePlace(of: visit, on: track, to: "back up")
    return try backUp(from: [track], to: nil, since: since)
  }

  /// A step asks to back up to the nearest earlier step that `receives` says it is meant for.
  package mutating func backUp(
    delivering update: any Sendable, from stay: Stay, since: Duration, to receives: (StepTypes) -> Bool
  ) throws -> Leaving? {
    _ = try activePlace(of: stay.visit, on: stay.track, to: "back up")
    guard let (place, track) = receiver(below: stay, where: receives), let receiver = place.node.body.types.receiver
    else { return nil }
    try refuseWhileLeaving(track)
    try refuseBeyondOneWay(place, on: track, from: stay.track)
    return accept(
      .back(to: Int(place.depth), Handover(receiver: receiver, update: update)), on: track, since: since)
  }

  /// What the step on top has made may be an update for an earlier one. Nil: it is none.
  package mutating func backUp(
    delivering update: any Sendable, from track: TrackID, since: Duration
  ) throws(FlowError) -> Leaving? {
    // A stack may be long: it is looked through only for what some step of the flow would take.
    guard graph.receives(update), phase(of: track) == .walking, let visit = visit(of: track) else { return nil }
    let found = receiver(below: Stay(visit.id, on: track)) { $0.receiver?.accepts(update) ?? false }
    guard let (place, target) = found, let receiver = place.node.body.types.receiver else { return nil }
    try refuseWhileLeaving(target)
    try refuseBeyondOneWay(place, on: target, from: track)
    return accept(
      .back(to: Int(place.depth), Handover(receiver: receiver, update: update)), on: target, since: since)
  }

  /// Somebody asks to abandon the flow.
  package mutating func abandon(reason: String, rollBack: Bool, since: Duration) throws(FlowError) -> Leaving {
    try requireRun()
    return accept(.end(.abandoned(reason: reason), rollBack: rollBack), on: .main, since: since)
  }

  /// A step asks to abandon the flow from inside.
  package mutating func abandon(
    _ reason: String, from visit: VisitID, on track: TrackID = .main, since: Duration
  ) throws -> Leaving {
    _ = try activePlace(of: visit, on: track, to: "abandon")
    return accept(.end(.abandoned(reason: reason), rollBack: true), on: .main, since: since)
  }

  /// The task that called `run` was cancelled.
  package mutating func cancel(since: Duration) -> Leaving {
    switch phase {
    case .idle, .ended: Leaving(event: nil, cancelsWalk: false)
    case .walking, .leaving, .compensating: accept(.end(.cancelled, rollBack: true), on: .main, since: since)
    }
  }

  /// The table "while leaving", for requests that are not refused: the first leave begins; an ending takes a back's
  /// target away; everything else joins. A leave that is the flow's own affair gives way to any request.
  mutating func accept(_ goal: Leave.Goal, on track: TrackID, since: Duration) -> Leaving {
    var leaving = Leaving(event: nil, cancelsWalk: false, track: track)
    let (phase, old) = look(at: track) { ($0.phase, $0.leave) }
    if let old, !old.yields {
      leaving.number = old.number
      guard case .back = old.goal, case .end = goal else { return leaving }
    }
    leaving.cancelsWalk = phase == .walking
    // What a back becomes that is overtaken by an ending began when the back did.
    let began = old?.yields == false ? old?.since : nil
    let leave = newLeave(goal, of: stack(of: track), since: began ?? since, old?.failures)
    if let old { discard(old) }
    with(track) { track in
      if phase != .compensating { track.phase = .leaving }
      track.leave = leave
    }
    leaving.number = leave.number
    closeQuestion(on: track)
    closeWaits(on: track)
    endPause(of: track)
    dropStart(of: track)
    dissolveBranches(of: track, since: since)
    if case .end = goal {
      dropBufferedSignals()
      fault = nil
    }
    if let visit = leave.visit { leaving.event = publish(.leaving(Visit(visit), leave.reason)) }
    return leaving
  }
}
