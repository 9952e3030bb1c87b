/// A flow compiled for walking: a program of instructions, most of which enter a step.
///
/// Immutable, shared by every run of the flow.
package final class Graph: Sendable {
  /// What the walk does, one after the other. Whoever walks holds an address, the value on its way, and nothing else.
  package let program: ContiguousArray<Instruction>
  /// Steps and forks in the order of the definition.
  package let nodes: ContiguousArray<Node>
  /// Of the steps that take updates.
  private let receivers: [StepTypes.Receiver]

  /// What more than one step, flow or case was called: all but the first got a number, which is another one when the
  /// definition changes.
  package let repeatedNames: [StepID]

  package init(
    program: ContiguousArray<Instruction>, nodes: ContiguousArray<Node>, repeatedNames: [StepID] = []
  ) {
    self.repeatedNames = repeatedNames
    self.program = program
    self.nodes = nodes
    receivers = nodes.compactMap(\.body.types.receiver)
  }

  /// Whether any of its steps takes this as an update.
  package func receives(_ value: any Sendable) -> Bool { receivers.contains { $0.accepts(value) } }

  package static let empty = Graph(program: [.end], nodes: [])
}

/// One instruction of a graph's program.
package enum Instruction: Sendable {
  case step(Node)
  case fork(Node)
  case transform(Segment.Transform)
  case keep
  case join(Segment.Join)
  case open(Scope)
  case close
  /// Goes on at the address of the case that matches, or at that of what happens otherwise.
  case choose(Choice, addresses: [Int], otherwise: Int?)
  /// Goes back to the address, or on.
  case decide(Repetition, body: Int)
  /// Returns to the menu.
  case resume(Node)
  /// Returns to a step that receives the value as an update, if there is one; else goes on.
  case deliver
  case jump(Int)
  case end
}
