// Branches that run at the same time.
extension FlowMachine {
  /// Enters a fork that was reached, and begins a track for each branch. The event is `moved`.
  ///
  /// - Parameter inputs: The input of each branch.
  /// - Returns: The tracks of the branches; `nil` if the flow is being left.
  package mutating func fork(
    _ node: Node, _ plan: ForkPlan, payload: Payload, inputs: [any Sendable], on track: TrackID
  ) -> [TrackID]? {
    guard enter(node, instance: nil, payload: payload, on: track) != nil else { return nil }
    return openBranches(of: plan, payload: payload, inputs: inputs, on: track)
  }

  /// Begins the branches of a fork anew, because a back has landed on it. Returns `nil` if the flow is being left.
  package mutating func refork(_ plan: ForkPlan, inputs: [any Sendable], on track: TrackID) -> [TrackID]? {
    let (phase, top) = look(at: track) { ($0.phase, $0.top) }
    guard phase == .walking, let payload = top?.payload else { return nil }
    dropStart(of: track)
    return openBranches(of: plan, payload: payload, inputs: inputs, on: track)
  }

  /// The branches that were open in the snapshot; `nil` if there are none.
  package func reopenedFork(on track: TrackID) -> [TrackID]? { look(at: track) { $0.fork?.tracks } }

  /// Walks on with the branches that are open already. Returns `nil` if the flow is being left.
  package mutating func goOn(with branches: [TrackID], on track: TrackID) -> [TrackID]? {
    needsNoCommit()
    guard phase(of: track) == .walking else { return nil }
    dropStart(of: track)
    self[track].focus.hasReturned = true
    return branches
  }

  /// Returns the results with which the goal decided, and the number of branches; `nil` if it has not decided.
  package func decidingResults(of track: TrackID) -> (values: [any Sendable], branches: Int)? {
    look(at: track) { track in
      guard let fork = track.fork, fork.isDecided, fork.asksGoal else { return nil }
      return (fork.results.prefix(fork.judged).map(\.value), fork.tracks.count)
    }
  }

  private mutating func openBranches(
    of plan: ForkPlan, payload: Payload, inputs: [any Sendable], on track: TrackID
  ) -> [TrackID] {
    with(track) { $0.focus.hasReturned = true }
    let elements = look(at: track) { $0.branch }?.elements ?? []
    var opened: [TrackID] = []
    for (number, input) in inputs.enumerated() {
      numbers.track += 1
      let entry = plan.entries[min(number, plan.entries.count - 1)]
      let own = plan.isForEach ? elements + [number] : elements
      var branch = Track(
        phase: .walking,
        branch: Branching(
          parent: track, number: number, path: plan.name(of: number, at: own), elements: own, scopes: payload.scopes))
      branch.start = Start(.at(address: entry, Payload(input, scopes: payload.scopes)))
      opened.append(branches.open(branch, numbered: numbers.track))
    }
    var views: [TrackView] = []
    for branch in opened { views.append(look(at: branch) { $0.view }) }
    with(track) { $0.fork = OpenFork(tracks: opened, asksGoal: plan.asksGoal, showing: views) }
    return opened
  }

  /// Ends a branch that was walked to its end. Returns false if the branch is being left.
  package mutating func finishBranch(_ track: TrackID, _ output: any Sendable) -> Bool {
    let (phase, branch) = look(at: track) { ($0.phase, $0.branch) }
    guard phase == .walking, let branch else { return false }
    mayBeHeld()
    leaveForwards(track)
    self[track].visit = self[track].top?.shown?.visit
    endBranch(track)
    let hasAsked = look(at: track) { $0.hasAsked }
    let isWanted = with(branch.parent) { parent in
      if hasAsked { parent.focus.hasAsked = true }
      guard parent.fork?.isOpen == true else { return false }
      parent.fork?.results.append((branch.number, output))
      return true
    }
    if !isWanted { discard(output) }
    return true
  }

  /// Leaves the last step of a branch forwards, although no other place is pushed on it.
  private mutating func leaveForwards(_ track: TrackID) {
    guard let top = look(at: track, { $0.top }), let last = top.shown else { return }
    if last.closes { self[track].isSealed = true }
    guard last.isSettledFromAbove else { return }
    self[track].isSealed = true
    discard(top)
    self[track].top = nil
    if let memory = self[track].focus.memory { discard(memory) }
    self[track].focus = Focus()
  }

  /// Decides whether another stint of a branch follows the one that has ended. None does if the branch was
  /// superseded, which ends it, or if the flow is suspended.
  ///
  /// - Returns: Whether that was the last one.
  package mutating func isOver(_ track: TrackID) -> Bool {
    needsNoCommit()
    if case .supersede? = look(at: track, { $0.leave })?.goal { endBranch(track) }
    let phase = look(at: track) { $0.phase }
    return phase == .ended || fault != nil && phase == .walking
  }

  mutating func endBranch(_ track: TrackID) {
    let (phase, branch) = look(at: track) { ($0.phase, $0.branch) }
    guard phase != .ended, let parent = branch?.parent else { return }
    let leave = with(track) { track in
      // Observers go on to see the visit that they saw during the leave.
      if let leave = track.leave { track.visit = leave.visit }
      track.phase = .ended
      return track.leave.take()
    }
    with(parent) { parent in
      parent.fork?.open -= 1
      if let leave, !leave.failures.isEmpty { parent.fork?.failures += leave.failures }
    }
    closeEverything(on: track)
    timers.drop(of: track)
  }

  /// The state of a fork when a branch has ended.
  package enum Verdict: Sendable {
    /// Ask the goal about this result, and report its answer. There is no result if the fork has no branches.
    case judge(newest: (any Sendable)?, open: Int)
    /// All branches have ended: their results in order of the branches.
    case join([any Sendable])
    case failed(StepID, any Error)
    /// Wait: the fork is not done; or it is being left, has failed or is decided, and branches are still being left.
    case wait
  }

  package mutating func verdict(on track: TrackID) -> Verdict {
    mayBeHeld()
    let (phase, fork) = with(track) { track in
      if track.phase == .walking { track.fork?.isJudging = false }
      return (track.phase, track.fork)
    }
    // A suspended flow stands still, also when its other branches come to their ends. After a retry the fork is judged.
    guard phase == .walking, fault == nil, let fork else { return .wait }
    let open = fork.open
    if let failure = fork.failure { return open == 0 ? .failed(failure.step, failure.error) : .wait }
    guard fork.isOpen else { return .wait }
    guard fork.asksGoal else {
      guard open == 0 else { return .wait }
      with(track) { $0.fork?.judged = fork.results.count }
      return .join(fork.results.sorted { $0.branch < $1.branch }.map(\.value))
    }
    guard fork.judged < fork.results.count || fork.tracks.isEmpty else { return .wait }
    let judged = min(fork.judged + 1, fork.results.count)
    with(track) { track in
      track.fork?.judged = judged
      track.fork?.isJudging = true
    }
    return .judge(newest: judged > 0 ? fork.results[judged - 1].value : nil, open: fork.tracks.count - judged)
  }

  /// Notes that the goal calls the fork done. Branches that are still open are superseded and leave.
  package mutating func decided(on track: TrackID, since: Duration = .zero) {
    let isDecided = with(track) { track in
      guard track.phase == .walking, track.fork?.isOpen == true else { return false }
      track.fork?.isDecided = true
      return true
    }
    if isDecided { supersede(on: track, since: since) }
  }

  private mutating func supersede(on track: TrackID, since: Duration) {
    guard look(at: track, { $0.hasOpenBranches }) else { return mayBeHeld() }
    supersedeBranches(of: track, since: since)
    if let visit = visit(of: track) { publish(.leaving(Visit(visit), .superseded)) }
  }

  /// Ends a branch whose failure no scope inside it has handled: the fork fails, and the sibling branches leave.
  mutating func failBranch(_ track: TrackID, _ step: StepID, _ error: any Error, since: Duration) {
    guard let parent = parent(of: track) else { return }
    endBranch(track)
    guard look(at: parent, { $0.fork?.isOpen == true }) else { return }
    self[parent].fork?.failure = (step, error)
    supersede(on: parent, since: since)
  }

  package enum Joined: Sendable {
    case joined
    /// The superseded branches are rolled back first; then the walk goes on by itself.
    case cleansUp
    case left
  }

  /// Joins the branches, which have all ended or been left. Their places stay as inner places, for a later rollback.
  package mutating func join(
    _ node: Node, making payload: Payload, on track: TrackID, since: Duration = .zero
  ) -> Joined {
    let (phase, open, visit) = look(at: track) { ($0.phase, $0.fork, $0.visit) }
    guard phase == .walking, let fork = open, let visit else { return .left }
    let winners = fork.winners
    let losers = fork.tracks.filter { !winners.contains($0) }
    if hasPlaces(losers) {
      self[track].leave = newLeave(.dropSuperseded(payload), of: visit, since: since, fork.failures)
      self[track].fork?.failures = []
      self[track].phase = .compensating
      bury(losers, on: track)
      return .cleansUp
    }
    joined(visit, fork.failures, on: track)
    mayBeHeld()
    persistCursor(from: node.address + 1, with: payload, on: track)
    return .joined
  }

  /// Ends a fork: the places of its branches become inner places.
  ///
  /// - Parameter failures: The `backUp`s of superseded branches that threw.
  mutating func joined(_ visit: VisitNode, _ failures: [UndoFailure], on track: TrackID) {
    let (hasAsked, winners) = look(at: track) { ($0.focus.hasAsked, $0.fork?.winners ?? []) }
    if hasClosed(winners) { with(track) { $0.top = $0.top?.closed() } }
    buryBranches(of: track)
    with(track) { track in
      track.focus.hasAsked = hasAsked
      if hasAsked { track.hasAsked = true }
      track.focus.hasReturned = true
    }
    keep(failures)
    publish(.joined(Visit(visit), errors: failures.map(\.error)))
  }

  // A loop, because a closure would get a copy of the machine.
  private func hasPlaces(_ tracks: [TrackID]) -> Bool {
    for track in tracks where look(at: track, { $0.top != nil }) { return true }
    return false
  }

  private func hasClosed(_ tracks: Set<TrackID>) -> Bool {
    for track in tracks where look(at: track, { $0.isClosed }) { return true }
    return false
  }
}

// MARK: - Burying branches

extension FlowMachine {
  /// Pushes the places of all remaining branches on the fork, oldest first, as inner places. No stint of these branches
  /// is under way any more.
  mutating func buryBranches(of track: TrackID) {
    guard let (tracks, failures) = look(at: track, { $0.fork.map { ($0.tracks, $0.failures) } }) else { return }
    if !failures.isEmpty { with(track) { $0.leave = $0.leave?.adding(failures) } }
    bury(tracks, on: track)
    dropFork(of: track)
  }

  mutating func bury(_ tracks: [TrackID], on track: TrackID) {
    var places: [(place: Place, memory: PlaceMemory.Box?)] = []
    for branch in tracks {
      buryBranches(of: branch)  // a fork that was left with its branches open
      places += takePlaces(of: branch)
    }
    guard !places.isEmpty else { return }
    let focus = look(at: track) { $0.focus }
    var below = look(at: track) { $0.top }
    if let top = below, top.isInner {
      // A leave has overtaken the rollback of superseded branches: their remaining places are sorted in with the
      // others.
      if focus.isEntered { places.append((top, focus.memory.map(PlaceMemory.Box.init))) }
      discard(top)
      below = top.below
      while let place = below, place.isInner {
        places.append((place, place.memory))
        below = place.below
      }
    } else if let memory = focus.memory {
      below = below?.remembering(memory)
    }
    places.sort { $0.place.visit.id < $1.place.visit.id }
    for (place, memory) in places { below = place.buried(on: below, memory: memory) }
    let memory = places.last?.memory?.memory
    with(track) { track in
      track.top = below
      track.focus = Focus(isEntered: true, hasAsked: focus.hasAsked, hasReturned: true, memory: memory)
    }
  }

  /// Removes the places of a track, and returns those to which a `backUp` is owed.
  private mutating func takePlaces(of track: TrackID) -> [(place: Place, memory: PlaceMemory.Box?)] {
    var places: [(place: Place, memory: PlaceMemory.Box?)] = []
    let (focus, top) = with(track) { track in
      defer { (track.focus, track.top) = (Focus(), nil) }
      return (track.focus, track.top)
    }
    var next = top
    if let top {
      // A fork itself has nothing to compensate.
      if focus.isEntered, top.node.fork == nil { places.append((top, focus.memory.map(PlaceMemory.Box.init))) }
      discard(top)
      next = top.below
    }
    while let place = next {
      if !place.visit.isSkipped, place.node.fork == nil { places.append((place, place.memory)) }
      next = place.below
    }
    return places
  }

  mutating func dropFork(of track: TrackID) {
    guard look(at: track, { $0.fork != nil }), let fork = with(track, { $0.fork.take() }) else { return }
    for branch in fork.tracks {
      dropFork(of: branch)
      if let gone = branches.close(branch) { discard(gone) }
    }
    discard(fork.results.map(\.value))
  }
}
