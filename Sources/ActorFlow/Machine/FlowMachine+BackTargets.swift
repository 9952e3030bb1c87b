// Where back leads.
extension FlowMachine {
  private typealias Target = (track: TrackID, depth: Int)

  /// Backs up from the one of these tracks that can. A caller outside waits for the landing.
  mutating func backUp(from tracks: [TrackID], to step: StepID?, since: Duration) throws(FlowError) {
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
    let leave = accept(.back(to: target.depth, nil), on: target.track, since: since)
    perform(.awaitMilestone(.landed(leave, on: target.track)))
  }

  /// Refuses a back on a track that is being left, or that lies in one.
  func refuseWhileLeaving(_ track: TrackID) throws(FlowError) {
    var next: TrackID? = track
    while let track = next {
      next = parent(of: track)
      guard let leave = look(at: track, { $0.leave }), !leave.yields else { continue }
      switch leave.goal {
      case .back: throw error(.moving, "the flow is already backing up; wait until it has landed")
      case .end: throw error(.ending, "the flow is ending; it cannot back up any more")
      case .supersede, .reload, .unwind, .dropSuperseded: throw error(.moving, "this branch is being left; wait until it has been left")
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
      .cannotBackUp, "a one-way step of a branch was left forwards, so no back leads to before its fork",
      step: visit(of: track)?.info.id)
  }

  /// Whether a step of a branch, or of a branch further in, was left forwards for good.
  func hasClosedBranch(on track: TrackID) -> Bool {
    look(at: track) { $0.fork?.tracks }?.contains { isClosed($0) || hasClosedBranch(on: $0) } ?? false
  }

  private enum Found {
    case found(Int)
    /// There is none on this track.
    case none(FlowError)
    /// There is one, or there was, and nobody may return to it.
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

  /// - Parameter isAround: Whether the top of the track, a fork, is itself an earlier place, seen from its branches.
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
      guard place.node.backUp != .passThrough else {
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
  /// The nearest step below a visit that takes what `receives` says, on its track or on one around it.
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
