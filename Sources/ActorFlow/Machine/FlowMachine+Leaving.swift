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
    return try backUp(from: leaves, to: step, since: since)
  }

  /// Somebody asks to back up from the step that asks a question.
  package mutating func backUp(from question: Question.ID, since: Duration) throws(FlowError) -> Leaving {
    let (_, track) = try openQuestion(question, orClosed: true)
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
    guard self[track].phase == .walking, let visit = self[track].visit else { return nil }
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
    if let leave = self[track].leave, !leave.yields {
      leaving.number = leave.number
      guard case .back = leave.goal, case .end = goal else { return leaving }
    }
    leaving.cancelsWalk = self[track].phase == .walking
    let old = self[track].leave
    // What a back becomes that is overtaken by an ending began when the back did.
    let began = old?.yields == false ? old?.since : nil
    let leave = newLeave(goal, of: stack(of: track), since: began ?? since, old?.errors)
    if let old { discard(old) }
    if self[track].phase != .compensating { self[track].phase = .leaving }
    self[track].leave = leave
    leaving.number = leave.number
    closeQuestion(on: track)
    closeWaits(on: track)
    alarms.dropPause(of: track)
    dissolveBranches(of: track, since: since)
    if let visit = leave.visit { leaving.event = publish(.leaving(Visit(visit), leave.reason)) }
    return leaving
  }
}

// MARK: - Where back leads

extension FlowMachine {
  private typealias Target = (track: TrackID, depth: Int)

  private mutating func backUp(
    from tracks: [TrackID], to step: StepID?, since: Duration
  ) throws(FlowError) -> Leaving {
    try refuseWhileLeaving(.main)
    var found: [(track: TrackID, target: Target)] = []
    var refusal: FlowError?
    for track in tracks {
      do {
        // A branch that is moving is not meant, and while it is the only one, the request is a double click.
        try refuseWhileLeaving(track)
        found.append((track, try backTarget(from: track, to: step)))
      } catch { if refusal == nil || error.code == .moving { refusal = error } }
    }
    guard let target = found.first?.target else {
      throw refusal ?? error(.cannotBackUp, "no step has been entered yet, so there is no earlier one")
    }
    guard found.allSatisfy({ $0.target == target }) else {
      let names = found.compactMap { self[$0.track].branch.map { "\"\($0.path)\"" } }.joined(separator: ", ")
      throw error(
        .ambiguousBackUp, "several branches can back up: \(names); name one with `backUp(from:)` or `backUp(to:)`")
    }
    return accept(.back(to: target.depth, nil), on: target.track, since: since)
  }

  /// Refuses a back on a track that is being left, or that lies in one.
  func refuseWhileLeaving(_ track: TrackID) throws(FlowError) {
    for track in lineage(of: track) {
      guard let leave = self[track].leave, !leave.yields else { continue }
      switch leave.goal {
      case .back: throw error(.moving, "the flow is already backing up; wait until it has landed")
      case .end: throw error(.ending, "the flow is ending; there is no way back")
      case .dissolve, .reload, .unwind, .prune: throw error(.moving, "this branch is being left; wait until it is gone")
      }
    }
  }

  /// Where a back from a track leads: on that track, or, past its first step, on the one around it.
  private func backTarget(from track: TrackID, to step: StepID?) throws(FlowError) -> Target {
    var refusal: FlowError?
    for (level, track) in lineage(of: track).enumerated() {
      if level > 0, let refusal = refusalToLeaveFork(on: track) { throw refusal }
      switch step.map({ place(named: $0, on: track, isAround: level > 0) }) ?? place(toReturnToOn: track) {
      case .found(let depth): return (track, depth)
      case .refused(let error): throw error
      case .none(let error): refusal = refusal ?? error
      }
    }
    throw refusal ?? error(.cannotBackUp, "no step has been entered yet, so there is no earlier one")
  }

  /// Why the fork on top of a track cannot be left backwards, if so.
  private func refusalToLeaveFork(on track: TrackID) -> FlowError? {
    guard hasClosedBranch(on: track) else { return nil }
    return error(
      .cannotBackUp, "a step of a branch was left forwards for good, so nobody returns to before its fork",
      step: self[track].visit?.info.id)
  }

  /// Whether a step of a branch, or of a branch further in, was left forwards for good.
  func hasClosedBranch(on track: TrackID) -> Bool {
    self[track].fork?.tracks.contains { self[$0].isClosed || hasClosedBranch(on: $0) } ?? false
  }

  private enum Found {
    case found(Int)
    /// There is none on this track.
    case none(FlowError)
    /// There is one, or there was, and nobody may return to it.
    case refused(FlowError)
  }

  private func place(toReturnToOn track: TrackID) -> Found {
    guard let current = self[track].top?.shown else {
      return .none(error(.cannotBackUp, "no step has been entered yet, so there is no earlier one"))
    }
    if current.backTarget >= 0, !current.isClosed { return .found(Int(current.backTarget)) }
    let refusal = error(
      .cannotBackUp, "no earlier step that asked a question can be returned to; `abandon` leaves the flow",
      step: current.visit.info.id)
    return self[track].isClosed || current.isClosed ? .refused(refusal) : .none(refusal)
  }

  /// - Parameter isAround: Whether the top of the track, a fork, is itself an earlier place, seen from its branches.
  private func place(named step: StepID, on track: TrackID, isAround: Bool) -> Found {
    guard let top = self[track].top, let current = top.shown else {
      return .none(error(.cannotBackUp, "no step has been entered yet, so there is no earlier one"))
    }
    let here = current.visit.info.id
    if isAround, step.matches(here) { return .found(Int(current.depth)) }
    for place in Swift.sequence(first: top, next: \.below) where place !== current {
      guard !place.closes else {
        return .refused(
          error(.cannotBackUp, "a one-way step was left forwards; \"\(step)\" cannot be returned to", step: here))
      }
      guard !place.isInner, step.matches(place.visit.info.id) else { continue }
      guard place.node.backUp != .passThrough else {
        return .refused(
          error(.cannotBackUp, "\"\(step)\" is passed through and never returned to", step: here))
      }
      return .found(Int(place.depth))
    }
    let refusal = error(.cannotBackUp, "no earlier step is called \"\(step)\"", step: here)
    return self[track].isSealed ? .refused(refusal) : .none(refusal)
  }
}

// MARK: - Updates

extension FlowMachine {
  /// The nearest step below a visit that takes what `receives` says, on its track or on one around it.
  package func receiver(below stay: Stay, where receives: (StepTypes) -> Bool) -> (place: Place, track: TrackID)? {
    for (level, track) in lineage(of: stay.track).enumerated() {
      guard let top = self[track].top else { continue }
      if level > 0, let shown = top.shown, receives(shown.node.body.types), shown.instance != nil {
        return (shown, track)
      }
      let found = top.search { $0.instance != nil && receives($0.node.body.types) ? true : nil }
      if let found { return (found.0, track) }
    }
    return nil
  }

  private func refuseBeyondOneWay(
    _ target: Place, on track: TrackID, from start: TrackID
  ) throws(FlowError) {
    var isClosed = false
    for inner in lineage(of: start) {
      guard inner != track else { break }
      if self[inner].isClosed { isClosed = true }
    }
    if start != track, refusalToLeaveFork(on: track) != nil { isClosed = true }
    var next = self[track].top
    if start == track, next?.isInner == false { next = next?.below }
    while let place = next, !isClosed {
      isClosed = place.closes
      if place === target { break }
      next = place.below
    }
    if isClosed {
      throw error(
        .cannotBackUp, "a one-way step was left forwards; \"\(target.visit.info.id)\" cannot be returned to")
    }
  }
}
