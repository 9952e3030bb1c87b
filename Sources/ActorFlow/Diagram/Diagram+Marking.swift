extension Diagram {
  /// Marks where a flow stands.
  mutating func mark(_ position: Position) {
    var marks = Marks()
    marks.add(position.stack)
    for question in position.questions { marks.waiting.insert(question.step) }
    let isFinished = position.status == .ended(.finished)
    for number in shapes.indices {
      switch shapes[number].kind {
      case .start: shapes[number].isVisited = !position.stack.isEmpty || isFinished
      case .end: shapes[number].isCurrent = isFinished
      case .step, .fork:
        guard let node = shapes[number].node else { continue }
        let isCurrent = marks.current.contains(node)
        shapes[number].isCurrent = isCurrent && !isFinished
        shapes[number].isVisited = marks.visited.contains(node) || isCurrent && isFinished
        shapes[number].isWaiting = marks.waiting.contains(node)
      case .choice, .join: break
      }
    }
  }
}

/// The steps of a position, by what is to be said of them.
private struct Marks {
  var visited: Set<StepID> = []
  var current: Set<StepID> = []
  var waiting: Set<StepID> = []

  /// One stack of a position; a flow in several branches has several.
  mutating func add(_ stack: StepStack) {
    if let top = stack.top { current.insert(top.step) }
    for visit in stack.belowTop { visited.insert(visit.step) }
  }
}

extension Set<StepID> {
  /// Whether one of the ids is a path of the node.
  fileprivate func contains(_ node: Node) -> Bool {
    if node.path.count == 1 { return contains(node.info.id) }
    return contains { node.elements(in: $0) != nil }
  }
}
