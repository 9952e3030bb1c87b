/// The names by which a snapshot speaks of a graph's steps and scopes.
package final class GraphNames: Sendable {
  package let graph: Graph
  private let nodes: [StepID: Node]
  /// Nodes whose paths have numbers of elements in them.
  private let elementNodes: [Node]
  private let scopes: [ScopeName: Scope]
  private let names: [ObjectIdentifier: ScopeName]
  /// By the address behind them.
  private let ends: [Int: ScopeName]
  /// The innermost fork around each node.
  private let forks: [Node?]

  package init(_ graph: Graph) {
    self.graph = graph
    nodes = Dictionary(graph.nodes.map { ($0.info.id, $0) }) { first, _ in first }
    elementNodes = graph.nodes.filter { $0.path.count > 1 }
    var scopes: [ScopeName: Scope] = [:]
    var names: [ObjectIdentifier: ScopeName] = [:]
    var ends: [Int: ScopeName] = [:]
    for instruction in graph.program {
      guard case .open(let scope) = instruction else { continue }
      var name = ScopeName(kind: scope.kind.name, step: graph.node(from: scope.first)?.info.id ?? "", number: 1)
      while scopes[name] != nil { name.number += 1 }
      scopes[name] = scope
      names[ObjectIdentifier(scope)] = name
      ends[scope.next] = name
    }
    (self.scopes, self.names, self.ends) = (scopes, names, ends)
    forks = Self.forks(around: graph.nodes, in: graph.program)
  }

  private static func forks(
    around nodes: ContiguousArray<Node>, in program: ContiguousArray<Instruction>
  ) -> [Node?] {
    var open: [(fork: Node, end: Int)] = []
    return nodes.map { node in
      while let last = open.last, node.address >= last.end { open.removeLast() }
      defer {
        // Behind a fork stands the jump over its branches.
        if node.fork != nil, case .jump(let end) = program[node.address + 1] { open.append((node, end)) }
      }
      return open.last?.fork
    }
  }

  /// The step or fork of this path, be it with the numbers of elements.
  package func node(_ path: StepID) -> Node? {
    nodes[path] ?? elementNodes.first { $0.elements(in: path) != nil }
  }

  /// The innermost fork around a step or fork of the graph.
  func fork(around node: Node) -> Node? { forks[node.index] }

  /// The innermost fork around an address. The jump over its branches is not among them.
  func fork(around address: Int) -> Node? {
    let fork = graph.fork(around: address)
    guard let fork, address == fork.address + 1 else { return fork }
    return self.fork(around: fork)
  }

  package func scope(_ name: ScopeName) -> Scope? { scopes[name] }
  package func name(of scope: Scope) -> ScopeName? { names[ObjectIdentifier(scope)] }
  /// The scope behind which this address is the next.
  package func scope(before address: Int) -> ScopeName? { ends[address] }
}

extension Scope.Kind {
  /// What snapshots call it.
  package var name: String {
    switch self {
    case .timeout: "timeout"
    case .retry: "retry"
    case .recover: "recover"
    case .expiry: "expires"
    }
  }
}
