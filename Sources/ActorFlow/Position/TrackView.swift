/// What the world sees of a line of steps at one moment: of the flow itself, or of a branch. Shared by all events until
/// something about it changes; what is to be said of many branches is gathered when somebody asks.
package final class TrackView: Sendable {
  /// Of a branch: what it is called.
  let path: StepID
  let stack: StepStack
  let question: Question?
  /// The signals waited for, oldest first.
  let waits: [Wait]
  let hasEnded: Bool
  /// Whether it has a step of its own to back up to.
  let canBackUp: Bool
  /// Whether nobody returns past its first step.
  let isClosed: Bool
  /// Whether it is being left, so that no back is possible on it or in it.
  let refusesBack: Bool
  /// The visit that is being left, and since when.
  let leaving: (visit: VisitNode, since: Duration)?
  /// Of the fork it stands before.
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

  /// Calls `body` with this and with every branch in it, outermost first.
  func forEach(_ body: (TrackView) -> Void) {
    body(self)
    for branch in branches ?? SharedList([]) { branch.forEach(body) }
  }

  /// Whether a back from it, or from a branch in it, has somewhere to go.
  ///
  /// - Parameter outer: Whether one past its first step has.
  func canBackUp(orTo outer: Bool) -> Bool {
    guard !refusesBack else { return false }
    let hasTarget = canBackUp || (outer && !isClosed)
    guard let branches, branches.contains(where: { !$0.hasEnded }) else { return hasTarget }
    let canLeave = hasTarget && !hasClosedBranch
    return branches.contains { !$0.hasEnded && $0.canBackUp(orTo: canLeave) }
  }

  private var hasClosedBranch: Bool { branches?.contains { $0.isClosed || $0.hasClosedBranch } ?? false }

  /// Of the branches that are being left while the flow goes on, the first.
  var leavingBranch: (visit: VisitNode, since: Duration)? {
    guard let branches else { return nil }
    for branch in branches {
      if let leaving = branch.leaving ?? branch.leavingBranch { return leaving }
    }
    return nil
  }
}
