// The requests to leave, and what each does while another leave is under way.
extension FlowMachine {
  /// Backs up for a caller outside, who waits for the landing: to the nearest earlier place that asked, or to the nearest
  /// one named `step`.
  package mutating func backUp(to step: StepID? = nil, since: Duration) throws(FlowError) {
    try requireRun()
    try refuseSuspended()
    try backUp(from: leaves, to: step, since: since)
  }

  /// Backs up from the step that asks a question, for a caller outside, who waits for the landing.
  package mutating func backUp(from question: Question.ID, since: Duration) throws(FlowError) {
    let track = try self.track(asking: question)
    try refuseSuspended()
    try backUp(from: [track], to: nil, since: since)
  }

  /// Backs up for the step on top itself.
  package mutating func backUp(from visit: VisitID, on track: TrackID = .main, since: Duration) throws {
    _ = try activePlace(of: visit, on: track, to: "back up")
    try backUp(from: [track], to: nil, since: since)
  }

  /// Backs up for the step on top itself, to the nearest earlier step of which `receives` says that it takes the update.
  ///
  /// - Returns: False if there is none.
  package mutating func backUp(
    delivering update: any Sendable, from stay: Stay, since: Duration, to receives: (StepTypes) -> Bool
  ) throws -> Bool {
    _ = try activePlace(of: stay.visit, on: stay.track, to: "back up")
    guard let found = receiver(below: stay, where: receives) else { return false }
    return try backUp(to: found, delivering: update, from: stay.track, since: since)
  }

  /// Backs up to the nearest earlier step that takes what the step on top has made as its update.
  ///
  /// - Returns: False if there is none.
  package mutating func backUp(
    delivering update: any Sendable, from track: TrackID, since: Duration
  ) throws(FlowError) -> Bool {
    // A stack may be long: it is looked through only for what some step of the flow would take.
    guard graph.receives(update), phase(of: track) == .walking, let visit = visit(of: track) else { return false }
    let found = receiver(below: Stay(visit.id, on: track)) { $0.receiver?.accepts(update) ?? false }
    guard let found else { return false }
    return try backUp(to: found, delivering: update, from: track, since: since)
  }

  private mutating func backUp(
    to target: (place: Place, track: TrackID), delivering update: any Sendable, from track: TrackID, since: Duration
  ) throws(FlowError) -> Bool {
    guard let receiver = target.place.node.body.types.receiver else { return false }
    try refuseWhileLeaving(target.track)
    try refuseBeyondOneWay(target.place, on: target.track, from: track)
    accept(
      .back(to: Int(target.place.depth), Handover(receiver: receiver, update: update)), on: target.track, since: since)
    return true
  }

  /// Abandons the flow for a caller outside, who waits for its end.
  package mutating func abandon(reason: String, rollBack: Bool, since: Duration) throws(FlowError) {
    try requireRun()
    accept(.end(.abandoned(reason: reason), rollBack: rollBack), on: .main, since: since)
    perform(.awaitMilestone(.ended))
  }

  /// Abandons the flow for a step of its own.
  package mutating func abandon(
    _ reason: String, from visit: VisitID, on track: TrackID = .main, since: Duration
  ) throws {
    _ = try activePlace(of: visit, on: track, to: "abandon")
    accept(.end(.abandoned(reason: reason), rollBack: true), on: .main, since: since)
  }

  /// The task that called `run` was cancelled.
  package mutating func cancel(since: Duration) {
    guard phase != .idle, phase != .ended else { return }
    accept(.end(.cancelled, rollBack: true), on: .main, since: since)
  }

  /// The table "while leaving", for requests that are not refused: the first leave begins; an ending takes a back's
  /// target away; everything else joins. A leave that is the flow's own affair gives way to any request.
  ///
  /// - Returns: The number of the leave that is under way now.
  @discardableResult
  mutating func accept(_ goal: Leave.Goal, on track: TrackID, since: Duration) -> Int {
    let (phase, old) = look(at: track) { ($0.phase, $0.leave) }
    if let old, !old.yields {
      guard case .back = old.goal, case .end = goal else { return old.number }
    }
    if phase == .walking { perform(.cancelWalk(track)) }
    // What a back becomes that is overtaken by an ending began when the back did.
    let began = old?.yields == false ? old?.since : nil
    let leave = newLeave(goal, of: stack(of: track), since: began ?? since, old?.failures)
    if let old { discard(old) }
    with(track) { track in
      if phase != .compensating { track.phase = .leaving }
      track.leave = leave
    }
    closeEverything(on: track)
    supersedeBranches(of: track, since: since)
    if case .end = goal {
      dropBufferedSignals()
      fault = nil
    }
    if let visit = leave.visit { publish(.leaving(Visit(visit), leave.reason)) }
    return leave.number
  }
}
