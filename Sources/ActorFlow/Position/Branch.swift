/// An open branch of a fork: of a `Parallel`, a `Race` or a `ForEach`.
public struct Branch: Sendable {
  package let view: TrackView

  package init(_ view: TrackView) {
    self.view = view
  }

  /// The branch's path: the fork's path, then the branch's name or number.
  public var path: StepID { view.path }
  /// The visits of this branch, top first.
  public var stack: StepStack { view.stack }
  /// The branches of a fork on top of this branch's stack.
  public var branches: [Branch] { view.branches?.map(Branch.init) ?? [] }
  /// Whether the branch has ended and is waiting for the others.
  public var hasEnded: Bool { view.hasEnded }
  /// Whether the branch has a step of its own to back up to.
  public var canBackUp: Bool { view.canBackUp }
}
