/// The names of a graph's steps and scopes in snapshots.
package final class GraphNames: Sendable {
  package let graph: Graph
  private let nodes: [StepID: Node]
  /// The nodes whose paths contain numbers of elements.
  private let elementNodes: [Node]
  private let scopes: [ScopeName: Scope]
  private let names: [ObjectIdentifier: ScopeName]
  /// The scopes' names by the address that follows each scope.
  private let ends: [Int: ScopeName]
  /// The innermost fork around each node.
  private let forks: [Node?]
  /// The finalizers' nodes by the address behind each component, and these addresses by the nodes.
  private let finalizers: [Int: Node]
  private let finalizedEnds: [ObjectIdentifier: Int]

  package init(_ graph: Graph) {
    self.graph = graph
    nodes = Dictionary(graph.nodes.map { ($0.info.id, $0) }) { first, _ in first }
    elementNodes = graph.nodes.filter { $0.path.count > 1 }
    var scopes: [ScopeName: Scope] = [:]
    var names: [ObjectIdentifier: ScopeName] = [:]
    var ends: [Int: ScopeName] = [:]
    var finalizers: [Int: Node] = [:]
    for (address, instruction) in graph.program.enumerated() {
      if case .leaveFinally(let node) = instruction { finalizers[address + 1] = node }
      guard case .open(let scope) = instruction else { continue }
      var name = ScopeName(kind: scope.kind.name, step: graph.node(from: scope.first)?.info.id ?? "", number: 1)
      while scopes[name] != nil { name.number += 1 }
      scopes[name] = scope
      names[ObjectIdentifier(scope)] = name
      ends[scope.next] = name
    }
    (self.scopes, self.names, self.ends) = (scopes, names, ends)
    self.finalizers = finalizers
    finalizedEnds = Dictionary(finalizers.map { (ObjectIdentifier($1), $0) }) { first, _ in first }
    forks = Self.forks(around: graph.nodes, in: graph.program)
  }

  private static func forks(
    around nodes: ContiguousArray<Node>, in program: ContiguousArray<Instruction>
  ) -> [Node?] {
    var open: [(fork: Node, end: Int)] = []
    return nodes.map { node in
      while let last = open.last, node.address >= last.end { open.removeLast() }
      defer {
        // A fork is followed by the jump over its branches.
        if node.fork != nil, case .jump(let end) = program[node.address + 1] { open.append((node, end)) }
      }
      return open.last?.fork
    }
  }

  /// Returns the step or fork with this path, with or without the numbers of elements.
  package func node(_ path: StepID) -> Node? {
    nodes[path] ?? elementNodes.first { $0.elements(in: path) != nil }
  }

  /// Returns the innermost fork around a step or fork of the graph.
  func fork(around node: Node) -> Node? { forks[node.index] }

  /// Returns the innermost fork around an address. The jump over a fork's branches is not inside the fork.
  func fork(around address: Int) -> Node? {
    let fork = graph.fork(around: address)
    guard let fork, address == fork.address + 1 else { return fork }
    return self.fork(around: fork)
  }

  package func scope(_ name: ScopeName) -> Scope? { scopes[name] }
  package func name(of scope: Scope) -> ScopeName? { names[ObjectIdentifier(scope)] }
  /// Returns the name of the scope that this address follows.
  package func scope(before address: Int) -> ScopeName? { ends[address] }
  /// Returns the node of the finalizer whose component this address follows.
  func finalizer(before address: Int) -> Node? { finalizers[address] }
  /// Returns the address behind a step or fork; of a finalizer, the address behind its component.
  func address(behind node: Node) -> Int { finalizedEnds[ObjectIdentifier(node)] ?? node.address + 1 }
}

extension Scope.Kind {
  /// The kind's name in snapshots.
  package var name: String {
    switch self {
    case .timeout: "timeout"
    case .retry: "retry"
    case .recover: "recover"
    case .expiry: "expires"
    case .guarded: "guarded"
    }
  }
}
