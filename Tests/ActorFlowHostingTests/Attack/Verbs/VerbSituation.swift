/// The situations of a flow in which an operator calls a verb. The flow is in memory, except where it has ended or the
/// situation says otherwise.
enum VerbSituation: CaseIterable, Sendable {
  /// The second of three steps asks.
  case waiting
  /// As `waiting`, and the flow is not in memory.
  case passivated
  /// The second step works, and asks nothing.
  case running
  case suspended
  /// Two branches ask.
  case forked
  /// One branch has failed, so that the flow is suspended, and the other one asks.
  case forkedSuspended
  /// The flow has finished.
  case ended
  case abandoned
  /// The flow has failed and is rolled back.
  case failed
  /// The flow was abandoned, and a `backUp` that has failed can succeed now.
  case rollbackFailed
  /// The flow was backed up to its first step, and a `backUp` that has failed can succeed now.
  case owing
  /// As `owing`, and each `backUp` still fails.
  case broken
  /// The second of three steps asks, in a version that the hosts have a newer one of.
  case outdated
  /// No version that the host has fits the flow.
  case unmigrated
  /// The key of the flow's data was erased.
  case erased
}
