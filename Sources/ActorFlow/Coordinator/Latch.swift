/// Somebody who waits for the flow to get somewhere.
struct Latch: Sendable {
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
  let cell: Cell

  /// Whether the waiter may go on, and with what; nil: not yet.
  func outcome(after change: Change?, of machine: FlowMachine) -> Result<Void, any Error>? {
    switch goal {
    case .settled: return machine.isSettled ? .success(()) : nil
    case .resting: return machine.isResting ? .success(()) : nil
    case .showing: return machine.isShowing ? .success(()) : nil
    case .reopened(let question): return machine.isReopening(question) ? nil : .success(())
    case .ended:
      guard machine.phase == .ended else { return nil }
      return Self.result(machine.rollbackErrors, in: machine)
    case .landed(let leave, let track):
      if machine.lastLanded == leave, case .backedUp(_, _, let errors)? = change {
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

  private static func result(_ errors: [any Error], in machine: FlowMachine) -> Result<Void, any Error> {
    guard !errors.isEmpty else { return .success(()) }
    return .failure(
      FlowError(
        .rollbackFailed, "the flow has left as asked, but \(errors.count) of its steps could not undo what they did",
        flow: machine.flow, underlying: errors))
  }
}
