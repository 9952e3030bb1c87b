/// A leave under way on one track: where it is going, and what has come of it so far. Replaced where it changes: it is
/// looked at more often than that.
package final class Leave: Sendable {
  package enum Goal: Sendable {
    /// Back to the place at this depth, which then receives the update, if there is one.
    case back(to: Int, Handover?)
    /// Down to the bottom.
    case end(Ending, rollBack: Bool)
    /// Nowhere: the same visit goes on with a new instance of its step, which replays what is in the journal.
    case reload
    /// Out of a scope that does something about a failure.
    case unwind(Unwinding)
    /// Out of the branches of the fork on top that are superfluous; then the walk goes on with this.
    case dropSuperseded(Payload)
    /// A track further out is left. That one undoes what this one did.
    case supersede
  }

  package let goal: Goal
  /// Tells one leave from another.
  package let number: Int
  /// The visit that is left; nil if none was entered yet.
  package let visit: VisitNode?
  /// When the request was accepted, from the run's start.
  package let since: Duration
  /// The `backUp`s that threw, in the order they ran.
  let failures: [UndoFailure]
  /// Whether the ending was published.
  let isAnnounced: Bool

  init(
    goal: Goal, number: Int, visit: VisitNode?, since: Duration, failures: [UndoFailure] = [],
    isAnnounced: Bool = false
  ) {
    self.goal = goal
    self.number = number
    self.visit = visit
    self.since = since
    self.failures = failures
    self.isAnnounced = isAnnounced
  }

  /// The same leave, whose ending was published.
  var announced: Leave {
    Leave(goal: goal, number: number, visit: visit, since: since, failures: failures, isAnnounced: true)
  }

  /// What they threw.
  package var errors: [any Error] { failures.map(\.error) }

  /// The same leave, after these `backUp`s threw.
  func adding(_ more: [UndoFailure]) -> Leave {
    guard !more.isEmpty else { return self }
    return Leave(
      goal: goal, number: number, visit: visit, since: since, failures: failures + more, isAnnounced: isAnnounced)
  }

  package var reason: LeaveReason {
    switch goal {
    case .back, .reload: .back
    case .end(.abandoned(let reason), _): .abandoned(reason: reason)
    case .end(.failed, _): .failed
    case .end(_, _): .cancelled
    case .unwind(let unwinding): unwinding.isTimeout ? .timedOut : .failed
    case .dropSuperseded, .supersede: .superseded
    }
  }

  var isReload: Bool {
    if case .reload = goal { true } else { false }
  }

  /// Whether it is the flow's own affair: nobody asked for it, so a request from outside takes its place.
  var yields: Bool {
    switch goal {
    case .unwind, .dropSuperseded, .reload: true
    case .back, .end, .supersede: false
    }
  }
}

/// A `backUp` that threw.
package struct UndoFailure: Sendable {
  package let error: any Error
  /// What is still to be undone, with what it remembers; nil where flows are not kept.
  let place: Place?
}

/// A failure on its way out of a scope: everything inside is compensated, then the scope acts.
package struct Unwinding: Sendable {
  package let frame: ScopeFrame
  /// The step that failed, or that took too long.
  package let step: StepID
  package let error: any Error
  package let isTimeout: Bool
}
