/// The coordinators whose steps are running around the current code, innermost first.
///
/// A step that waits for its own flow's back or end would wait for itself; the chain lets such a call be refused at
/// once. It is a task-local, so it also reaches a step's child tasks, its `backUp`, and the flows that a step runs.
final class FlowChain: Sendable {
  @TaskLocal static var current: FlowChain?

  private let coordinator: UInt64
  private let outer: FlowChain?

  init(_ coordinator: UInt64, around outer: FlowChain?) {
    self.coordinator = coordinator
    self.outer = outer
  }

  static func contains(_ coordinator: UInt64) -> Bool {
    var link = current
    while let here = link {
      if here.coordinator == coordinator { return true }
      link = here.outer
    }
    return false
  }
}
