/// The coordinators whose code is running around the current code, innermost first.
///
/// A step that waits for its own flow's back or end would wait for itself; the chain lets such a call be refused at
/// once. It is a task-local, so it also reaches a step's child tasks, its effects, its `backUp`, and the flows that a
/// step runs.
final class FlowChain: Sendable {
  @TaskLocal static var current: FlowChain?

  /// What runs there: they have different means to say where the flow is to go.
  enum Code: Sendable {
    case step
    /// An effect of a rendered step: it has a sink, and no context.
    case effect
  }

  private let coordinator: UInt64
  private let code: Code
  private let outer: FlowChain?

  init(_ coordinator: UInt64, _ code: Code = .step, around outer: FlowChain?) {
    self.coordinator = coordinator
    self.code = code
    self.outer = outer
  }

  /// Which code of the coordinator's flow runs around the current code; nil: none.
  static func code(of coordinator: UInt64) -> Code? {
    var link = current
    while let here = link {
      if here.coordinator == coordinator { return here.code }
      link = here.outer
    }
    return nil
  }
}
