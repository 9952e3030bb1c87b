/// A leave under way: where it is going, and what has come of it so far.
package struct Leave: Sendable {
  package enum Goal: Sendable {
    /// Back to the place at this depth.
    case back(to: Int)
    /// Down to the bottom.
    case end(Ending, rollBack: Bool)
    /// Nowhere: the same visit goes on with a new instance of its step, which replays what is in the journal.
    case reload
  }

  package internal(set) var goal: Goal
  /// The visit that is left; nil if none was entered yet.
  package let visit: VisitNode?
  /// When the request was accepted, from the run's start.
  package let since: Duration
  /// What `backUp`s threw, in the order they ran.
  package internal(set) var errors: [any Error] = []
  /// Whether the ending was published.
  var isAnnounced = false

  package var reason: LeaveReason {
    switch goal {
    case .back, .reload: .back
    case .end(.abandoned(let reason), _): .abandoned(reason: reason)
    case .end(.failed, _): .failed
    case .end(_, _): .cancelled
    }
  }

  var isReload: Bool {
    if case .reload = goal { true } else { false }
  }
}
