/// One branch of a fork that is open: of a `Parallel`, a `Race` or a `ForEach`.
public struct Branch: Sendable {
  /// What the branch is called: the fork's path and the branch's name or number.
  public let path: StepID
  /// The visits of this branch, top first.
  public let stack: StepStack
  /// The branches of a fork on top of this branch's stack.
  public let branches: [Branch]
  /// Whether it has ended, and waits for the others.
  public let hasEnded: Bool
  /// Whether it has a step of its own to back up to.
  public let canBackUp: Bool

  package init(path: StepID, stack: StepStack, branches: [Branch], hasEnded: Bool, canBackUp: Bool) {
    self.path = path
    self.stack = stack
    self.branches = branches
    self.hasEnded = hasEnded
    self.canBackUp = canBackUp
  }
}
