/// A flow compiled for walking: its steps in order, each with its whole path and what happens to the value behind it.
///
/// Immutable, shared by every run of the flow.
package final class Graph: Sendable {
  package let nodes: ContiguousArray<Node>
  /// What happens to the flow's input before the first step.
  package let entry: Edge

  package init(nodes: ContiguousArray<Node>, entry: Edge) {
    self.nodes = nodes
    self.entry = entry
  }

  package static let empty = Graph(nodes: [], entry: Edge(moves: []))

  /// The node behind `node`; the first one behind nil; nil behind the last.
  @inline(__always)
  package func node(after node: Node?) -> Node? {
    let index = node.map { $0.index + 1 } ?? 0
    return index < nodes.count ? nodes[index] : nil
  }
}

/// One step in a graph.
package final class Node: Sendable {
  package let index: Int
  package let info: StepInfo
  package let body: StepBody
  package let backUp: BackUpPolicy
  package let failure: FailurePolicy
  /// What happens to the step's output on its way to the next step.
  package let exit: Edge

  package init(
    index: Int, info: StepInfo, body: StepBody, backUp: BackUpPolicy, failure: FailurePolicy, exit: Edge
  ) {
    self.index = index
    self.info = info
    self.body = body
    self.backUp = backUp
    self.failure = failure
    self.exit = exit
  }
}
