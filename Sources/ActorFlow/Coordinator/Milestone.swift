/// A point of the flow's course that a caller waits for, and the waiter.
final class Milestone: Sendable {
  enum Goal: Sendable {
    /// The flow waits for somebody outside, or has ended.
    case settled
    /// It is settled, and its steps do nothing but wait.
    case resting
    /// It is settled, and shows what its steps ask.
    case showing
    /// The back of this number has landed on this track.
    case landed(Int, on: TrackID)
    case ended
    /// A question that was read back is asked again, or closed.
    case reopened(Question.ID)
  }

  let goal: Goal
  let waiter = OneShot()

  init(_ goal: Goal) {
    self.goal = goal
  }

  /// The outcome for the waiter, if the flow has reached the milestone: its position, or an error. Nil: not yet.
  func outcome(after event: LogEntry?, of machine: FlowMachine) -> OneShot.Outcome? {
    switch goal {
    case .settled: return machine.isSettled ? .success(machine.position) : nil
    case .resting: return machine.isResting ? .success(machine.position) : nil
    case .showing: return machine.isShowing ? .success(machine.position) : nil
    case .reopened(let question):
      // A step that failed before it asked again, or rests at something else, is not going to.
      return machine.isReopening(question) && !machine.isResting ? nil : .success(machine.position)
    case .ended:
      guard machine.phase == .ended else { return nil }
      return Self.result(machine.rollbackErrors, in: machine)
    case .landed(let leave, let track):
      if machine.lastLanded == leave, case .other(let transition)? = event,
        case .backedUp(_, _, let errors) = transition.change
      {
        return Self.result(errors, in: machine)
      }
      if machine.phase != .ended, machine.isUnderWay(leave, on: track) { return nil }
      return .failure(
        machine.error(
          .ending,
          machine.isEnding
            ? "the flow was ended while it was backing up, so it never landed"
            : "the branch that was backing up never landed: its fork was decided, a branch beside it failed, or another "
              + "back leads to before the fork"))
    }
  }

  private static func result(_ errors: [any Error], in machine: FlowMachine) -> OneShot.Outcome {
    guard !errors.isEmpty else { return .success(machine.position) }
    return .failure(
      FlowError(
        .rollbackFailed, "the flow has left as asked, but \(errors.count) of its steps could not undo what they did",
        flow: machine.flow, underlying: errors))
  }
}
