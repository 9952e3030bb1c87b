// Commits that may wait. A move acknowledges nothing to a caller: it may be stored together with what follows it.
extension FlowMachine {
  /// When an input is to be committed.
  package enum CommitNeed: Sendable {
    /// The input needs no commit.
    case none
    /// The input is held back: it is committed with the next input that is, or when ``heldUntil`` is over.
    case later
    /// The input is committed before it is adopted, with everything that is held back.
    case now
  }

  /// Notes that the input acknowledges nothing, so that its commit may wait for the next one.
  mutating func mayBeHeld() { reaction.mayBeHeld = true }

  /// Decides when the latest input is to be committed, and notes the decision.
  ///
  /// Nothing is held back while the flow is settled: no step would bring about the commit.
  ///
  /// - Parameters:
  ///   - reaction: The reaction to the input. Gets the time at which held inputs are to be committed.
  ///   - isRequested: Whether a request gives the input. Requests are acknowledged, so they never wait.
  package mutating func takeCommitNeed(
    of reaction: inout Reaction, isRequested: Bool, at now: @autoclosure () -> Duration
  ) -> CommitNeed {
    if !isRequested {
      if reaction.isTransient, heldUntil == nil || !isSettled { return .none }
      if reaction.mayBeHeld, reaction.acknowledgesNothing, fault == nil, let holdTime, !isSettled {
        if heldUntil == nil { hold(until: now().later(by: holdTime), &reaction) }
        return .later
      }
    }
    heldUntil = nil
    return .now
  }

  private mutating func hold(until time: Duration, _ reaction: inout Reaction) {
    heldUntil = time
    reaction.timer = min(reaction.timer ?? time, time)
  }

  /// The time at which the machine wants to be called next: for a timer, or to commit what is held back.
  package var nextWake: Duration? { [nextTimer, heldUntil].compactMap(\.self).min() }

  /// Ends the holding if its time is over, by an input that is committed. Returns false if it is not.
  mutating func releaseHeldCommit(at now: Duration) -> Bool {
    guard let heldUntil, heldUntil <= now else {
      needsNoCommit()
      return false
    }
    return true
  }
}

extension Reaction {
  /// Whether no event of the input but a move, a skip or a join is published. The end of a branch may also suspend the
  /// flow in the same input, and that is committed at once: no later input of a suspended flow would bring the commit.
  fileprivate var acknowledgesNothing: Bool {
    guard firstEvent == nil else { return false }
    switch event {
    case nil, .moved: return true
    case .other(let transition):
      switch transition.change {
      case .moved, .skipped, .joined: return true
      default: return false
      }
    }
  }
}
