// The public view of the flow, and the milestones that callers wait for.
extension FlowMachine {
  /// The flow's position.
  package var position: Position {
    guard main.fork == nil || branches.areShown else {
      var shown = self
      shown.branches.show(on: &shown.main.fork)
      return shown.position
    }
    guard main.fork == nil else { return Position(main.view, status: status) }
    return Position(
      stack: StepStack(stack(of: .main)), questions: main.asking.map { [$0.question] } ?? [], status: status,
      canBackUp: main.canBackUp, waits: main.waits.map(\.wait))
  }

  /// Returns the stack of a track as shown to observers. It changes with events only, so during a rollback it still
  /// shows the stack as it was left.
  func stack(of track: TrackID) -> VisitNode? {
    track == .main ? main.stack ?? lastStack : look(at: track) { $0.stack }
  }

  private var status: Status {
    switch phase {
    case .idle: .idle
    case .walking: .running
    case .leaving, .compensating: status(of: main.leave)
    case .ended: .ended(ending ?? .finished)
    }
  }

  private func status(of leave: Leave?) -> Status {
    guard let leave, !leave.isAnnounced else { return .rollingBack }
    // Before the first step was entered there is no visit to leave; a reload is internal and not shown.
    if let visit = leave.visit, !leave.isReload { return .leaving(Visit(visit), since: leave.since) }
    return .running
  }

  /// Whether the flow waits for an answer, a signal or the clock, is suspended, or has ended.
  package var isSettled: Bool {
    switch phase {
    case .ended: true
    case .walking: fault == nil ? !main.isBusy && !branches.areBusy : !isUndoingBranch
    case .idle, .leaving, .compensating: false
    }
  }

  /// Whether a branch is being left. A flow that was suspended by another branch waits for that, so that each
  /// compensation is recorded and does not run again when the flow is activated.
  private var isUndoingBranch: Bool { branches.contains { $0.phase == .leaving || $0.phase == .compensating } }

  /// Whether the flow is settled and its steps do nothing but wait, so that nothing is lost if they are made anew
  /// later.
  ///
  /// A step that asks and waits at once has a task for each. When one task has got its answer, it goes on, while the
  /// flow counts as settled because of the other. The first task may also have ended, which the machine cannot see. The
  /// flow is not passivated before the step waits for as much as before, or has returned.
  package var canPassivate: Bool {
    isSettled && !hasTrack(where: \.hasAskerAtWork)
  }

  /// Whether the flow has not begun, or is settled while no work of a `once` is under way.
  ///
  /// Such a flow can be given up and activated anew without compensating a step twice or repeating recorded work. A step
  /// that has got one of two things that it waits for goes on from its last recorded point, as after a crash.
  package var isAtRest: Bool { isSettled && runningWorks == 0 || phase == .idle }

  /// Returns whether the flow is at rest. One that is suspended and that nothing drives is, wherever it was suspended.
  package func isAtRest(isDriven: Bool) -> Bool { isAtRest || fault != nil && !isDriven }

  /// Whether all steps at which the flow stands do nothing but ask; see ``Ask``.
  package var onlyAsks: Bool {
    ([.main] + descendants(of: .main)).allSatisfy { track in
      look(at: track) { $0.phase == .ended || $0.fork != nil || $0.top?.node.body.question != nil }
    }
  }

  /// A condition for passivating the flow.
  package enum PassivationCondition: Sendable {
    case always
    /// The flow's steps do nothing but wait, no timer is due, and no reminder is to run.
    case isIdle
    /// The flow has a question or a wait open, and no work of a `once` is under way: what its steps do besides is done
    /// again when they are made anew.
    case canYield
    /// The flow is suspended because a step failed.
    case isSuspended
  }

  /// Whether the flow may be passivated.
  ///
  /// - Parameter areAskersBack: Whether every asker waits for its answer, and none is running a reminder.
  package func mayPassivate(
    if condition: PassivationCondition, at now: Duration, areAskersBack: Bool
  ) -> Bool {
    switch condition {
    case .always: true
    case .isIdle: canPassivate && !isTimerDue(at: now) && areAskersBack
    case .canYield: hasTrack { $0.phase == .walking && $0.openAskers > 0 } && runningWorks == 0
    case .isSuspended: fault != nil
    }
  }

  package func isTimerDue(at now: Duration) -> Bool { nextTimer.map { $0 <= now } ?? false }

  /// Whether the flow is settled, and every step that may still be executing has a question open, so that there is
  /// something to show.
  package var isPresentable: Bool {
    isSettled && !hasTrack { $0.hasAskerAtWork && $0.asking == nil }
  }

  private func hasTrack(where isMeant: (Track) -> Bool) -> Bool {
    guard phase == .walking, fault == nil else { return false }
    return isMeant(main) || branches.contains(where: isMeant)
  }

  /// Publishes the next event. Call it last in an input: the event carries the position as it is then. An input that
  /// opens or closes both a question and a wait publishes two events, each with the position after it.
  mutating func publish(_ change: Change) {
    sequence += 1
    if let event = reaction.event { reaction.firstEvent = event }
    if main.fork != nil { branches.show(on: &main.fork) }
    reaction.event = LogEntry(change, position)
  }
}

extension Track {
  /// The public view of the track now.
  var view: TrackView {
    var leaving: (visit: VisitNode, since: Duration)?
    if phase == .leaving || phase == .compensating, let leave, !leave.isReload, let visit = leave.visit {
      leaving = (visit, leave.since)
    }
    return TrackView(
      path: branch?.path ?? "", stack: StepStack(stack), question: asking?.question, waits: waits.map(\.wait),
      hasEnded: phase == .ended, canBackUp: canBackUp, isClosed: isClosed, refusesBack: leave?.yields == false,
      leaving: leaving, branches: fork?.views)
  }

  /// The stack as shown to observers; `nil` for the flow itself after its end.
  fileprivate var stack: VisitNode? {
    switch phase {
    case .idle: nil
    case .walking: visit
    case .leaving, .compensating: leave?.visit
    case .ended: branch == nil ? nil : visit
    }
  }

  /// Whether the track has a place of its own to back up to, and no leave was requested. A reload is internal and does
  /// not count.
  fileprivate var canBackUp: Bool {
    guard let top = top?.shown, top.backTarget >= 0, !top.isClosed else { return false }
    return phase == .walking || leave?.isReload == true
  }
}

/// A point of the flow's course that a caller waits for.
package enum Milestone: Sendable {
  /// The flow is settled: it waits for an answer, a signal or the clock, is suspended, or has ended.
  case settled
  /// The flow is settled, and its steps do nothing but wait.
  case passivatable
  /// The flow is at rest; see ``FlowMachine/isAtRest``.
  case resting
  /// The flow is settled, and shows the questions of its steps.
  case presentable
  /// The back of this number has landed on this track.
  case landed(Int, on: TrackID)
  case ended
  /// A question that was open in the snapshot is asked again, or closed.
  case reopened(Question.ID)
  /// Every wait for this signal that was open in the snapshot is open again, or closed.
  case waitsAgain(signal: String)
}

extension FlowMachine {
  /// Judges whether the flow has reached a milestone.
  ///
  /// - Parameter event: The event of the latest input.
  /// - Returns: The outcome for the waiting task: the flow's position, or an error. `nil` if the milestone is not
  ///   reached.
  package func outcome(of milestone: Milestone, after event: LogEntry?) -> OneShot.Outcome? {
    switch milestone {
    case .settled: return isSettled ? .success(position) : nil
    case .passivatable: return canPassivate ? .success(position) : nil
    case .resting: return isAtRest ? .success(position) : nil
    case .presentable: return isPresentable ? .success(position) : nil
    case .reopened(let question):
      // A step that failed before asking again, or waits for something else, will not ask it.
      return isReopening(question) && !canPassivate ? nil : .success(position)
    case .waitsAgain(let signal): return isReopening(waitFor: signal) && !canPassivate ? nil : .success(position)
    case .ended:
      guard phase == .ended else { return nil }
      return outcome(afterRollback: rollbackErrors)
    case .landed(let leave, let track):
      if lastLanded == leave, case .other(let transition)? = event,
        case .backedUp(_, _, let errors) = transition.change
      {
        return outcome(afterRollback: errors)
      }
      if phase != .ended, isUnderWay(leave, on: track) { return nil }
      return .failure(
        error(
          .ending,
          isEnding
            ? "the flow was ended while it was backing up, so it never landed"
            : "the branch that was backing up never landed: its fork was decided, a branch beside it failed, or another "
              + "back leads to before the fork"))
    }
  }

  private func outcome(afterRollback errors: [any Error]) -> OneShot.Outcome {
    guard !errors.isEmpty else { return .success(position) }
    return .failure(
      error(
        .rollbackFailed, "the flow has left as asked, but \(errors.count) of its `backUp`s failed",
        underlying: errors))
  }
}
