/// A point of the flow's course that a caller waits for.
package enum Milestone: Sendable {
  /// The flow waits for somebody outside, or has ended.
  case settled
  /// It is settled, and its steps do nothing but wait.
  case passivatable
  /// It is settled, and shows what its steps ask.
  case presentable
  /// The back of this number has landed on this track.
  case landed(Int, on: TrackID)
  case ended
  /// A question that was read back is asked again, or closed.
  case reopened(Question.ID)
}

extension FlowMachine {
  /// Judges whether the flow has come to a milestone.
  ///
  /// - Parameter event: The event of the latest input.
  /// - Returns: The outcome for the task that waits: the flow's position, or an error. Nil: not yet.
  package func outcome(of milestone: Milestone, after event: LogEntry?) -> OneShot.Outcome? {
    switch milestone {
    case .settled: return isSettled ? .success(position) : nil
    case .passivatable: return canPassivate ? .success(position) : nil
    case .presentable: return isPresentable ? .success(position) : nil
    case .reopened(let question):
      // A step that failed before it asked again, or rests at something else, is not going to.
      return isReopening(question) && !canPassivate ? nil : .success(position)
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
