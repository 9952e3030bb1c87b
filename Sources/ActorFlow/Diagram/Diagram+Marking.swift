extension Diagram {
  /// Marks the current position of a flow.
  mutating func mark(_ position: Position) {
    let marks = Marks(position)
    let isFinished = position.status == .ended(.finished)
    for number in shapes.indices {
      switch shapes[number].kind {
      case .start: shapes[number].isVisited = !position.stack.isEmpty || isFinished
      case .end: shapes[number].isCurrent = isFinished
      case .step, .fork:
        guard let node = shapes[number].node else { continue }
        let isCurrent = marks.current.contains(node)
        let waits = marks.waits(of: node)
        shapes[number].isCurrent = isCurrent && !isFinished
        shapes[number].isVisited = marks.visited.contains(node) || isCurrent && isFinished
        shapes[number].isWaiting = !waits.isEmpty
        shapes[number].notes += waits.map { "waiting for \($0)" }
      case .choice, .join: break
      }
    }
  }
}

/// The steps of a position that are visited, current or waiting.
private struct Marks {
  private(set) var visited: Set<StepID> = []
  private(set) var current: Set<StepID> = []
  private var waiting: [StepID: Set<String>] = [:]

  init(_ position: Position) {
    add(position.stack, isOpen: true)
    for branch in position.branches { add(branch) }
    for question in position.questions { waiting[question.step, default: []].insert("an answer") }
    for wait in position.waits { waiting[wait.step, default: []].insert(wait.signal) }
  }

  /// Adds a branch. A branch that has ended has no current step.
  private mutating func add(_ branch: Branch) {
    add(branch.stack, isOpen: !branch.hasEnded)
    for branch in branch.branches { add(branch) }
  }

  private mutating func add(_ stack: StepStack, isOpen: Bool) {
    for visit in isOpen ? stack.belowTop : stack { visited.insert(visit.step) }
    if isOpen, let top = stack.top { current.insert(top.step) }
  }

  /// Returns the answers and signals that a node waits for, in the branches of all elements.
  func waits(of node: Node) -> [String] {
    if node.path.count == 1 { return waiting[node.info.id, default: []].sorted() }
    let all = waiting.filter { step, _ in node.elements(in: step) != nil }.values
    return all.reduce(into: Set()) { $0.formUnion($1) }.sorted()
  }
}

extension Set<StepID> {
  /// Whether one of the ids is a path of the node.
  fileprivate func contains(_ node: Node) -> Bool {
    if node.path.count == 1 { return contains(node.info.id) }
    return contains { node.elements(in: $0) != nil }
  }
}
