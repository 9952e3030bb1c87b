/// The coordinators whose code is running around the current code, innermost first.
///
/// A step that waited for its own flow to back up or to end would wait for itself; the chain lets the coordinator
/// refuse such a call at once. It is a task-local, so it also reaches a step's child tasks, its effects, its `backUp`,
/// and the flows that a step runs.
final class FlowChain: Sendable {
  @TaskLocal static var current: FlowChain?

  /// The kind of code that runs. It decides which remedy a refused call names.
  enum Code: Sendable {
    case step
    /// An effect of a rendered step, which has a sink and no context.
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

  /// Returns the kind of this coordinator's code around the current code; `nil` if there is none.
  static func code(of coordinator: UInt64) -> Code? {
    var link = current
    while let here = link {
      if here.coordinator == coordinator { return here.code }
      link = here.outer
    }
    return nil
  }
}
