/// A flow compiled for walking: a program of instructions, most of which enter a step.
///
/// Immutable, shared by every run of the flow.
package final class Graph: Sendable {
  /// The instructions in order. A walk needs only an address and the payload on its way.
  package let program: ContiguousArray<Instruction>
  /// The step that each address enters; `nil` for any other instruction. A walk looks here first, because reading an
  /// instruction copies its payload.
  let steps: ContiguousArray<Node?>
  /// Steps and forks in the order of the definition.
  package let nodes: ContiguousArray<Node>
  /// The receivers of the steps that take updates.
  private let receivers: [StepTypes.Receiver]

  /// The names that more than one step, flow or case has. All but the first got a number, which may be another one
  /// after the definition is changed.
  package let repeatedNames: [StepID]

  package init(
    program: ContiguousArray<Instruction>, nodes: ContiguousArray<Node>, repeatedNames: [StepID] = []
  ) {
    self.repeatedNames = repeatedNames
    self.program = program
    steps = ContiguousArray(program.map { if case .step(let node) = $0 { node } else { nil } })
    self.nodes = nodes
    receivers = nodes.compactMap(\.body.types.receiver)
  }

  /// Whether any of the steps takes the value as an update.
  package func receives(_ value: any Sendable) -> Bool { receivers.contains { $0.accepts(value) } }

  package static let empty = Graph(program: [.end], nodes: [])
}

/// An instruction of a graph's program.
package enum Instruction: Sendable {
  case step(Node)
  case fork(Node)
  case transform(Segment.Transform)
  /// Begins a component with a finalizer: its node has a place on the stack, but is no step.
  case enterFinally(Node)
  /// Runs the finalizer of this node.
  case leaveFinally(Node)
  case carry
  case join(Segment.Join)
  case open(Scope)
  case close
  /// Continues at the address of the case that matches, or at `otherwise`.
  case choose(Choice, addresses: [Int], otherwise: Int?)
  /// Continues at the start of the body, or with the next instruction.
  case decide(Repetition, body: Int)
  /// Returns to the menu of a hub.
  case resume(Node)
  /// Returns to a step that receives the value as an update; if there is none, continues with the next instruction.
  case deliver
  case jump(Int)
  case end
}
