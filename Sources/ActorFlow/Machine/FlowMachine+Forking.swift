// Branches that run at the same time.
extension FlowMachine {
  /// A fork was reached and its branches are known: enters it, and begins a track for each of them. The event is
  /// `moved`. Nil: the flow is being left.
  ///
  /// - Parameter inputs: What each branch is given.
  package mutating func fork(
    _ node: Node, _ plan: ForkPlan, cargo: Cargo, inputs: [any Sendable], on track: TrackID
  ) -> (entered: Entered, tracks: [TrackID])? {
    guard let entered = enter(node, instance: nil, cargo: cargo, on: track) else { return nil }
    return (entered, openBranches(of: plan, cargo: cargo, inputs: inputs, on: track))
  }

  /// The flow has backed up to a fork: its branches begin anew. Nil: the flow is being left.
  package mutating func refork(_ plan: ForkPlan, inputs: [any Sendable], on track: TrackID) -> [TrackID]? {
    guard self[track].phase == .walking, let cargo = self[track].top?.cargo else { return nil }
    dropStart(of: track)
    return openBranches(of: plan, cargo: cargo, inputs: inputs, on: track)
  }

  /// The branches that were open when the machine was put away; nil if there are none.
  package func reopenedFork(on track: TrackID) -> [TrackID]? { self[track].fork?.tracks }

  /// The walk goes on with the branches that it has. Nil: the flow is being left.
  package mutating func goOn(with branches: [TrackID], on track: TrackID) -> [TrackID]? {
    guard self[track].phase == .walking else { return nil }
    dropStart(of: track)
    self[track].focus.hasReturned = true
    return branches
  }

  /// The results with which the goal decided, and how many branches there are; nil if it has not.
  package func decidingResults(of track: TrackID) -> (values: [any Sendable], branches: Int)? {
    guard let fork = self[track].fork, fork.isDecided, fork.asksGoal else { return nil }
    return (fork.results.prefix(fork.judged).map(\.value), fork.tracks.count)
  }

  private mutating func openBranches(
    of plan: ForkPlan, cargo: Cargo, inputs: [any Sendable], on track: TrackID
  ) -> [TrackID] {
    self[track].focus.hasReturned = true
    let elements = self[track].branch?.elements ?? []
    var opened: [TrackID] = []
    for (number, input) in inputs.enumerated() {
      numbers.track += 1
      let entry = plan.entries[min(number, plan.entries.count - 1)]
      let own = plan.isForEach ? elements + [number] : elements
      var branch = Track(
        phase: .walking,
        branch: Branching(
          parent: track, number: number, path: plan.name(of: number, at: own), elements: own, scopes: cargo.scopes))
      branch.start = Start(.at(address: entry, Cargo(input, scopes: cargo.scopes)))
      opened.append(branches.open(branch, numbered: numbers.track))
    }
    self[track].fork = OpenFork(tracks: opened, asksGoal: plan.asksGoal, showing: opened.map { self[$0].view })
    return opened
  }

  /// A branch has come to its end. False: it is being left.
  package mutating func finishBranch(_ track: TrackID, _ output: any Sendable) -> Bool {
    guard self[track].phase == .walking, let branch = self[track].branch else { return false }
    leaveForwards(track)
    endBranch(track)
    if self[branch.parent].fork?.isOpen == true {
      self[branch.parent].fork?.results.append((branch.number, output))
    } else {
      discard(output)
    }
    if self[track].hasAsked { self[branch.parent].focus.hasAsked = true }
    return true
  }

  /// The last step of a branch is left forwards, although no other place comes to stand on it.
  private mutating func leaveForwards(_ track: TrackID) {
    guard let top = self[track].top, let last = top.shown else { return }
    if last.closes { self[track].isSealed = true }
    guard last.isSettledFromAbove else { return }
    self[track].isSealed = true
    discard(top)
    self[track].top = nil
    if let memory = self[track].focus.memory { discard(memory) }
    self[track].focus = Focus()
  }

  /// No stint of a branch will follow, if it is being left because a track further out is.
  ///
  /// - Returns: Whether the branch is over.
  package mutating func isOver(_ track: TrackID) -> Bool {
    if case .dissolve? = self[track].leave?.goal { endBranch(track) }
    return self[track].phase == .ended
  }

  mutating func endBranch(_ track: TrackID) {
    guard self[track].phase != .ended, let parent = self[track].branch?.parent else { return }
    self[parent].fork?.open -= 1
    if let leave = self[track].leave {
      // What the world sees of it stays what it saw.
      self[track].visit = leave.visit
      if !leave.errors.isEmpty { self[parent].fork?.errors += leave.errors }
    }
    self[track].phase = .ended
    self[track].leave = nil
    dropStart(of: track)
    alarms.drop(of: track)
    closeQuestion(on: track)
    closeWaits(on: track)
  }

  /// What became of a fork, when a branch has ended.
  package enum Verdict: Sendable {
    /// The goal is to be asked about this result, and its answer is to be told; without one if there is no branch.
    case judge(newest: (any Sendable)?, open: Int)
    /// All branches have ended: their results in order of the branches.
    case join([any Sendable])
    case failed(StepID, any Error)
    /// Not yet; or the fork is being left, or is decided, and branches are still to come back.
    case wait
  }

  package mutating func verdict(on track: TrackID) -> Verdict {
    guard self[track].phase == .walking, let fork = self[track].fork else { return .wait }
    self[track].fork?.isJudging = false
    let open = fork.open
    if let failure = fork.failure { return open == 0 ? .failed(failure.step, failure.error) : .wait }
    guard fork.isOpen else { return .wait }
    guard fork.asksGoal else {
      guard open == 0 else { return .wait }
      self[track].fork?.judged = fork.results.count
      return .join(fork.results.sorted { $0.branch < $1.branch }.map(\.value))
    }
    guard fork.judged < fork.results.count || fork.tracks.isEmpty else { return .wait }
    let judged = min(fork.judged + 1, fork.results.count)
    self[track].fork?.judged = judged
    self[track].fork?.isJudging = true
    return .judge(newest: judged > 0 ? fork.results[judged - 1].value : nil, open: fork.tracks.count - judged)
  }

  /// The goal says that the fork is done. Branches still open are superfluous, and told to leave.
  package mutating func decided(on track: TrackID, since: Duration = .zero) -> NavigationEvent? {
    guard self[track].phase == .walking, let fork = self[track].fork, fork.isOpen else { return nil }
    self[track].fork?.isDecided = true
    return supersede(on: track, since: since)
  }

  private mutating func supersede(on track: TrackID, since: Duration) -> NavigationEvent? {
    guard self[track].hasOpenBranches else { return nil }
    dissolveBranches(of: track, since: since)
    return self[track].visit.map { publish(.leaving(Visit($0), .superseded)) }
  }

  /// A branch failed, and nothing inside it does anything about that: the fork fails, and the siblings leave.
  mutating func failBranch(
    _ track: TrackID, _ step: StepID, _ error: any Error, since: Duration
  ) -> NavigationEvent? {
    guard let parent = self[track].branch?.parent else { return nil }
    endBranch(track)
    guard self[parent].fork?.isOpen == true else { return nil }
    self[parent].fork?.failure = (step, error)
    return supersede(on: parent, since: since)
  }

  package enum Joined: Sendable {
    case joined(NavigationEvent)
    /// What the superfluous branches did is undone first; then the walk goes on by itself.
    case prunes
    case left
  }

  /// All branches have ended or come back. Nothing of them is left but what is to be undone if the flow is.
  package mutating func join(
    _ node: Node, making cargo: Cargo, on track: TrackID, since: Duration = .zero
  ) -> Joined {
    guard self[track].phase == .walking, let fork = self[track].fork, let visit = self[track].visit else {
      return .left
    }
    let winners = fork.winners
    let losers = fork.tracks.filter { !winners.contains($0) }
    if losers.contains(where: { self[$0].top != nil }) {
      self[track].leave = newLeave(.prune(cargo), of: visit, since: since, fork.errors)
      self[track].fork?.errors = []
      self[track].phase = .compensating
      bury(losers, on: track)
      return .prunes
    }
    let event = joined(visit, errors: fork.errors, on: track)
    keepWay(from: node.address + 1, with: cargo, on: track)
    return .joined(event)
  }

  /// The fork is over: what its branches did is a thing of the past now.
  mutating func joined(_ visit: VisitNode, errors: [any Error], on track: TrackID) -> NavigationEvent {
    let hasAsked = self[track].focus.hasAsked
    if self[track].fork?.winners.contains(where: { self[$0].isClosed }) == true {
      self[track].top = self[track].top?.closed()
    }
    buryBranches(of: track)
    self[track].focus.hasAsked = hasAsked
    if hasAsked { self[track].hasAsked = true }
    self[track].focus.hasReturned = true
    return publish(.joined(Visit(visit), errors: errors))
  }
}
