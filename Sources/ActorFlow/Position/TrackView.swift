/// The public view of a track (the flow itself, or a branch) at one moment. Events share a view until the track
/// changes. The lists over many branches are computed only when they are read.
package final class TrackView: Sendable {
  /// The branch's path; empty for the flow itself.
  let path: StepID
  let stack: StepStack
  let question: Question?
  /// The signals waited for, oldest first.
  let waits: [Wait]
  let hasEnded: Bool
  /// Whether the track has a step of its own to back up to.
  let canBackUp: Bool
  /// Whether no back may lead past the track's first step.
  let isClosed: Bool
  /// Whether the track is being left in a way that allows no back on it or on a branch in it.
  let refusesBack: Bool
  /// The visit that is being left, and the time of the request from the run's start.
  let leaving: (visit: VisitNode, since: Duration)?
  /// The branches of the fork on top of the track; `nil` if there is none.
  let branches: SharedList<TrackView>?

  package init(
    path: StepID = "", stack: StepStack, question: Question? = nil, waits: [Wait] = [], hasEnded: Bool = false,
    canBackUp: Bool = false, isClosed: Bool = false, refusesBack: Bool = false,
    leaving: (visit: VisitNode, since: Duration)? = nil, branches: SharedList<TrackView>? = nil
  ) {
    self.path = path
    self.stack = stack
    self.question = question
    self.waits = waits
    self.hasEnded = hasEnded
    self.canBackUp = canBackUp
    self.isClosed = isClosed
    self.refusesBack = refusesBack
    self.leaving = leaving
    self.branches = branches
  }

  /// Calls `body` with this track and with every branch in it, outermost first.
  func forEach(_ body: (TrackView) -> Void) {
    body(self)
    for branch in branches ?? SharedList([]) { branch.forEach(body) }
  }

  /// Whether a back from this track, or from a branch in it, has a target.
  ///
  /// - Parameter outer: Whether there is a target before the track's first step.
  func canBackUp(orTo outer: Bool) -> Bool {
    guard !refusesBack else { return false }
    let hasTarget = canBackUp || (outer && !isClosed)
    guard let branches, branches.contains(where: { !$0.hasEnded }) else { return hasTarget }
    let canLeave = hasTarget && !hasClosedBranch
    return branches.contains { !$0.hasEnded && $0.canBackUp(orTo: canLeave) }
  }

  private var hasClosedBranch: Bool { branches?.contains { $0.isClosed || $0.hasClosedBranch } ?? false }

  /// The first branch that is being left while the flow itself goes on.
  var leavingBranch: (visit: VisitNode, since: Duration)? {
    guard let branches else { return nil }
    for branch in branches {
      if let leaving = branch.leaving ?? branch.leavingBranch { return leaving }
    }
    return nil
  }
}
