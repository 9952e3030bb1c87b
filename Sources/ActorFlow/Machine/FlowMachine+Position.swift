// What the world sees.
extension FlowMachine {
  /// Where the flow stands.
  package var position: Position {
    guard main.fork != nil || !mail.waits.isEmpty else {
      return Position(
        stack: StepStack(main.stack ?? lastStack), questions: main.asking.map { [$0.question] } ?? [],
        status: status, canBackUp: main.canBackUp)
    }
    let open = leaves
    return Position(
      stack: StepStack(stack(of: .main)),
      questions: open.compactMap { self[$0].asking?.question }.sorted { $0.id.number < $1.id.number },
      status: status, canBackUp: canBackUp(within: .main),
      waits: mail.waits.map(\.wait), branches: branches(of: .main))
  }

  private func branches(of track: TrackID) -> [Branch] {
    guard let fork = self[track].fork else { return [] }
    return fork.tracks.compactMap { id in
      guard let branch = self[id].branch else { return nil }
      return Branch(
        path: branch.path, stack: StepStack(stack(of: id)), branches: branches(of: id),
        hasEnded: self[id].phase == .ended, canBackUp: self[id].canBackUp)
    }
  }

  /// Whether a back from a track, or from a branch on it, has somewhere to go.
  ///
  /// - Parameter outer: Whether one past the first step of the track has.
  private func canBackUp(within track: TrackID, orTo outer: Bool = false) -> Bool {
    guard self[track].leave?.yields ?? true else { return false }
    let hasTarget = self[track].canBackUp || (outer && !self[track].isClosed)
    guard let fork = self[track].fork, fork.tracks.contains(where: { self[$0].phase != .ended }) else {
      return hasTarget
    }
    let canLeave = hasTarget && !hasClosedBranch(on: track)
    return fork.tracks.contains { self[$0].phase != .ended && canBackUp(within: $0, orTo: canLeave) }
  }

  /// What the world sees of a stack. It changes with events only, so during a rollback it still shows what is left.
  func stack(of track: TrackID) -> VisitNode? {
    track == .main ? main.stack ?? lastStack : self[track].stack
  }

  var status: Status {
    switch phase {
    case .idle: .idle
    case .walking: main.fork == nil ? .running : leavingBranch ?? .running
    case .leaving, .compensating: status(of: main.leave)
    case .ended: .ended(ending ?? .finished)
    }
  }

  private func status(of leave: Leave?) -> Status {
    guard let leave, !leave.isAnnounced else { return .rollingBack }
    // Before the first step was entered there is no visit to leave, and a reload is nobody's business.
    if let visit = leave.visit, !leave.isReload { return .leaving(Visit(visit), since: leave.since) }
    return .running
  }

  /// Of branches that are left while the flow goes on, the first.
  private var leavingBranch: Status? {
    for track in descendants(of: .main) {
      guard [.leaving, .compensating].contains(self[track].phase), let leave = self[track].leave, !leave.isReload,
        let visit = leave.visit
      else { continue }
      return .leaving(Visit(visit), since: leave.since)
    }
    return nil
  }

  /// Whether the flow waits for somebody outside or for the clock, or has ended.
  package var isSettled: Bool {
    switch phase {
    case .ended: true
    case .walking where main.fork == nil && main.asking != nil: true
    case .walking: leaves.allSatisfy(isSettled) && !isForkBusy(.main)
    case .idle, .leaving, .compensating: false
    }
  }

  private func isSettled(_ track: TrackID) -> Bool {
    guard self[track].phase == .walking else { return false }
    return self[track].asking != nil || alarms.isPausing(track) || mail.waits.contains { $0.stay.track == track }
  }

  /// Whether a fork has nothing left to wait for, so that its own track is about to move.
  private func isForkBusy(_ track: TrackID) -> Bool {
    guard let fork = self[track].fork else { return false }
    return !fork.isOpen || fork.isJudging || (fork.asksGoal && fork.judged < fork.results.count)
      || fork.tracks.allSatisfy { self[$0].phase == .ended } || fork.tracks.contains(where: isForkBusy)
  }

  /// The next event. Call it last in an input: it carries the position as it stands.
  mutating func publish(_ change: Change) -> NavigationEvent {
    sequence += 1
    return NavigationEvent(flow: flow, run: run, sequence: sequence, entry: LogEntry(change, position))
  }
}

extension Track {
  /// What the world sees of its stack; nil for the flow itself after its end.
  fileprivate var stack: VisitNode? {
    switch phase {
    case .idle: nil
    case .walking: visit
    case .leaving, .compensating: leave?.visit
    case .ended: branch == nil ? nil : visit
    }
  }

  /// Whether it has a place of its own to back up to, and nobody has asked to leave it. A reload is nobody's business,
  /// so it does not show.
  fileprivate var canBackUp: Bool {
    guard let top = top?.shown, top.backTarget >= 0, !top.isClosed else { return false }
    return phase == .walking || leave?.isReload == true
  }
}
