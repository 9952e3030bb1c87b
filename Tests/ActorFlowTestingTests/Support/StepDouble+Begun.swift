import ActorFlow
import ActorFlowTesting

extension StepDouble {
  /// Waits until the step has begun: one that is left before that is not called.
  func hasBegun() async { while inputs.isEmpty { await Task.yield() } }
}
