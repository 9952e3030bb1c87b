// The requests to leave, their effect while another leave is under way, and the targets of a back.
extension FlowMachine {
  /// Backs up for a caller outside, who waits for the landing: to the nearest earlier place that asked, or to the
  /// nearest one named `step`.
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

  /// Backs up for the step on top itself, to the nearest earlier step whose types satisfy `receives`.
  ///
  /// - Returns: False if there is none.
  package mutating func backUp(
    delivering update: any Sendable, from stay: Stay, since: Duration, to receives: (StepTypes) -> Bool
  ) throws -> Bool {
    _ = try activePlace(of: stay.visit, on: stay.track, to: "back up")
    guard let found = receiver(below: stay, where: receives) else { return false }
    return try backUp(to: found, delivering: update, from: stay.track, since: since)
  }

  /// Backs up to the nearest earlier step that takes the output of the step on top as its update.
  ///
  /// - Returns: False if there is none.
  package mutating func backUp(
    delivering update: any Sendable, from track: TrackID, since: Duration
  ) throws(FlowError) -> Bool {
    // A stack may be long: it is searched only if some step of the flow takes such an update.
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

  /// Leaves because the task that called `run` was cancelled.
  package mutating func cancel(since: Duration) {
    guard phase != .idle, phase != .ended else { return }
    accept(.end(.cancelled, rollBack: true), on: .main, since: since)
  }

  /// Applies the table "while leaving" to a request that is not refused: the first leave begins; an ending takes a
  /// back's target away; every other request joins. A leave that the machine began by itself gives way to any request.
  ///
  /// - Returns: The number of the leave that is under way now.
  @discardableResult
  mutating func accept(_ goal: Leave.Goal, on track: TrackID, since: Duration) -> Int {
    let (phase, old) = look(at: track) { ($0.phase, $0.leave) }
    forgetFault(leftBy: goal, on: track)
    if let old, !old.yields {
      guard case .end = goal else { return old.number }
      switch old.goal {
      case .back, .complete, .enter: break
      case .end, .supersede, .reload, .unwind, .dropSuperseded: return old.number
      }
    }
    if phase == .walking { perform(.cancelWalk(track)) }
    // An ending that overtakes a back began when the back did.
    let began = old?.yields == false ? old?.since : nil
    let leave = newLeave(goal, of: stack(of: track), since: began ?? since, old?.failures)
    if let old { discard(old) }
    with(track) { track in
      if phase != .compensating { track.phase = .leaving }
      track.leave = leave
    }
    closeEverything(on: track)
    supersedeBranches(of: track, since: since)
    if case .end = goal { dropBufferedSignals() }
    if let visit = leave.visit { publish(.leaving(Visit(visit), leave.reason)) }
    return leave.number
  }

  /// Lets a suspended flow go on if the step that failed is left: on the way to an ending, which may have been suspended
  /// itself, or by a back of another branch to a place before the fork.
  private mutating func forgetFault(leftBy goal: Leave.Goal, on track: TrackID) {
    guard let step = fault?.step else { return }
    switch goal {
    case .end: fault = nil
    case .back where descendants(of: track).contains { visit(of: $0)?.info.id == step }: fault = nil
    case .back, .complete, .enter, .supersede, .reload, .unwind, .dropSuperseded: break
    }
  }
}

// MARK: - Targets of a back

extension FlowMachine {
  private typealias Target = (track: TrackID, depth: Int)

  /// Backs up from those of these tracks that can, if they all lead to one target. A caller outside waits for the
  /// landing.
  mutating func backUp(from tracks: [TrackID], to step: StepID?, since: Duration) throws(FlowError) {
    try refuseWhileLeaving(.main)
    var found: [(track: TrackID, target: Target)] = []
    var refusal: FlowError?
    for track in tracks {
      do {
        // A branch that is being left is passed over. If it is the only one, the request is a double click, and
        // refused.
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
    let leave = accept(.back(to: target.depth, nil), on: target.track, since: since)
    perform(.awaitMilestone(.landed(leave, on: target.track)))
  }

  /// Refuses a back on a track that is being left, or that is inside such a track.
  func refuseWhileLeaving(_ track: TrackID) throws(FlowError) {
    var next: TrackID? = track
    while let track = next {
      next = parent(of: track)
      guard let leave = look(at: track, { $0.leave }), !leave.yields else { continue }
      switch leave.goal {
      case .back: throw error(.moving, "the flow is already backing up; wait until it has landed")
      case .end: throw error(.ending, "the flow is ending; it cannot back up any more")
      case .complete: throw error(.moving, "the step is being completed; wait until it has been left")
      case .enter: throw error(.moving, "the step is being entered anew; wait until it has been left")
      case .supersede, .reload, .unwind, .dropSuperseded:
        throw error(.moving, "this branch is being left; wait until it has been left")
      }
    }
  }

  /// Returns the target of a back from a track: on that track or, past its first step, on the track around it.
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

  /// Returns the error if the fork on top of a track cannot be left backwards; else `nil`.
  private func refusalToLeaveFork(on track: TrackID) -> FlowError? {
    guard hasClosedBranch(on: track) else { return nil }
    return error(
      .cannotBackUp, "a one-way step of a branch was left forwards, so no back leads to before its fork",
      step: visit(of: track)?.info.id)
  }

  /// Whether a step of an open branch, or of a branch further in, was left forwards for good.
  func hasClosedBranch(on track: TrackID) -> Bool {
    look(at: track) { $0.fork?.tracks }?.contains { isClosed($0) || hasClosedBranch(on: $0) } ?? false
  }

  private enum Found {
    case found(Int)
    /// There is none on this track.
    case none(FlowError)
    /// There is or was one, but no back may lead to it.
    case refused(FlowError)
  }

  private func place(toReturnToOn track: TrackID) -> Found {
    guard let current = look(at: track, { $0.top })?.shown else {
      return .none(error(.cannotBackUp, "no step has been entered yet, so there is no earlier one"))
    }
    if current.backTarget >= 0, !current.isClosed { return .found(Int(current.backTarget)) }
    let refusal = error(
      .cannotBackUp, "no earlier step that asked a question can be returned to; `abandon` leaves the flow",
      step: current.visit.info.id)
    return isClosed(track) || current.isClosed ? .refused(refusal) : .none(refusal)
  }

  /// - Parameter isAround: Whether the search began in a branch of the fork on top, so that the fork itself is an
  ///   earlier place.
  private func place(named step: StepID, on track: TrackID, isAround: Bool) -> Found {
    guard let top = top(of: track), let current = top.shown else {
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
      guard !place.isFinished else {
        return .refused(
          error(
            .cannotBackUp, "\"\(step)\" is in a component whose `finally` has run, and cannot be returned to",
            step: here))
      }
      guard place.backUp != .passThrough else {
        return .refused(
          error(.cannotBackUp, "\"\(step)\" is `.passThrough` and cannot be returned to", step: here))
      }
      return .found(Int(place.depth))
    }
    let refusal = error(.cannotBackUp, "no earlier step is called \"\(step)\"", step: here)
    return look(at: track) { $0.isSealed } ? .refused(refusal) : .none(refusal)
  }
}

// MARK: - Updates

extension FlowMachine {
  /// Returns the nearest step below a visit whose types satisfy `receives`, on its track or on one around it.
  package func receiver(below stay: Stay, where receives: (StepTypes) -> Bool) -> (place: Place, track: TrackID)? {
    for (level, track) in lineage(of: stay.track).enumerated() {
      guard let top = top(of: track) else { continue }
      if level > 0, let shown = top.shown, shown.hasStep, receives(shown.node.body.types) {
        return (shown, track)
      }
      let found = top.search { $0.hasStep && receives($0.node.body.types) ? true : nil }
      if let found { return (found.0, track) }
    }
    return nil
  }

  func refuseBeyondOneWay(
    _ target: Place, on track: TrackID, from start: TrackID
  ) throws(FlowError) {
    var isClosed = false
    for inner in lineage(of: start) {
      guard inner != track else { break }
      if self.isClosed(inner) { isClosed = true }
    }
    if start != track, refusalToLeaveFork(on: track) != nil { isClosed = true }
    var next = top(of: track)
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
