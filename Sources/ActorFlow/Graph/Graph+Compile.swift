extension Graph {
  /// Compiles a definition: gives every step its path, its policies and its edge. Runs no code of the user's.
  package convenience init(compiling segments: [Segment]) {
    var compiler = GraphCompiler()
    for segment in segments { compiler.add(segment) }
    let (entry, nodes) = compiler.finish()
    self.init(nodes: nodes, entry: entry)
  }
}

/// Walks the segments once, with a stack for each kind of bracket.
private struct GraphCompiler {
  private var entry: Edge?
  private var nodes: ContiguousArray<Node> = []
  private var moves: [Edge.Move] = []
  /// The step whose exit edge is being collected.
  private var pending: (info: StepInfo, body: StepBody, backUp: BackUpPolicy, failure: FailurePolicy)?
  private var names = PathNames()
  private var backUp: [BackUpPolicy] = [.automatic]
  private var failure: [FailurePolicy] = [.rollBack]
  /// Which of the two stacks each open policy bracket pushed on.
  private var policies: [Segment.Policy] = []

  mutating func add(_ segment: Segment) {
    switch segment {
    case .step(let name, let body):
      closeEdge()
      let info = StepInfo(id: StepID(names.path(of: name)))
      pending = (info, body, backUp[backUp.count - 1], failure[failure.count - 1])
    case .transform(let change): moves.append(.transform(change))
    case .keep: moves.append(.keep)
    case .join(let join): moves.append(.join(join))
    case .open(let name): names.open(name)
    case .close: names.close()
    case .begin(let policy):
      policies.append(policy)
      switch policy {
      case .backUp(let policy): backUp.append(policy)
      case .failure(let policy): failure.append(policy)
      }
    case .end:
      switch policies.removeLast() {
      case .backUp: backUp.removeLast()
      case .failure: failure.removeLast()
      }
    }
  }

  mutating func finish() -> (entry: Edge, nodes: ContiguousArray<Node>) {
    closeEdge()
    return (entry ?? Edge(moves: []), nodes)
  }

  /// The moves collected so far belong to the step before, or to the graph's entry.
  private mutating func closeEdge() {
    let edge = Edge(moves: moves)
    moves = []
    if let pending {
      nodes.append(
        Node(
          index: nodes.count, info: pending.info, body: pending.body, backUp: pending.backUp,
          failure: pending.failure, exit: edge))
    } else {
      entry = edge
    }
  }
}

/// Makes paths out of names: equal siblings get `#2`, `#3`….
private struct PathNames {
  private var prefixes: [String] = [""]
  private var taken: Set<String> = []
  /// How often a path was asked for, so that the thousandth equal sibling need not try `#2` to `#999` again.
  private var count: [String: Int] = [:]

  mutating func path(of name: String) -> String {
    let wanted = prefixes[prefixes.count - 1] + name
    var path = wanted
    while !taken.insert(path).inserted {
      let number = count[wanted, default: 1] + 1
      count[wanted] = number
      path = "\(wanted)#\(number)"
    }
    return path
  }

  mutating func open(_ name: String) { prefixes.append(path(of: name) + "/") }

  mutating func close() { prefixes.removeLast() }
}
