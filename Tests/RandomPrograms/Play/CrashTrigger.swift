import ActorFlow
import ActorFlowHosting
package import ActorFlowTesting

/// Simulates a crash of the host at a commit: from then on the store accepts nothing from it.
package final class CrashTrigger: Sendable {
  private struct State: Sendable {
    var commitsLeft: Int?
    /// Whether the last commit is written all the same, and only its acknowledgement is lost.
    var writesLast = false
    var hasFired = false
  }

  private let state = Lock(State())
  /// An element for each simulated crash.
  package let crashes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  package init() {
    (crashes, continuation) = AsyncStream<Void>.makeStream()
  }

  package var hasFired: Bool { state.withLock { $0.hasFired } }

  /// Crashes the host after this many commits.
  package func arm(after commits: Int, writingLast: Bool) {
    state.withLock { $0 = State(commitsLeft: commits, writesLast: writingLast) }
  }

  package func disarm() { state.withLock { $0 = State() } }

  /// Ends the simulated crashes.
  package func finish() {
    disarm()
    continuation.finish()
  }

  package func fault(in call: StoreCall) -> StoreFault? {
    let (fault, isNew) = state.withLock { state -> (StoreFault?, Bool) in
      let dead = StoreFault.fail(FlowStoreError(.fenced, "the host has crashed"))
      if state.hasFired { return (dead, false) }
      guard call.operation == .commit, let left = state.commitsLeft else { return (nil, false) }
      state.commitsLeft = left - 1
      guard left <= 0 else { return (nil, false) }
      state.hasFired = true
      return (state.writesLast ? .loseAcknowledgement : dead, true)
    }
    if isNew { continuation.yield() }
    return fault
  }
}
