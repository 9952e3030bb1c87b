// Finds the step that a name refers to.
extension Graph {
  /// Returns the step or fork that `id` refers to: the one with that path, or the only one with that last part of its
  /// path. Below a fork with a branch for each element, a path may have a number or `*`.
  ///
  /// - Throws: `noSuchStep`, with suggestions of the steps that may have been meant.
  package func node(matching id: StepID) throws(FlowError) -> Node {
    let nodes = nodes.filter { $0.finalizer == nil }
    if let node = nodes.first(where: { $0.elements(in: id) != nil }) { return node }
    let found = nodes.filter { id.matches($0.info.id) }
    guard let only = found.first else {
      let suggestions = Self.suggestions(for: id, among: nodes)
      throw FlowError(.noSuchStep, "the flow has no step \"\(id)\"; \(suggestions)", step: id)
    }
    guard found.count == 1 else {
      let paths = found.map { "\"\($0.info.id)\"" }.joined(separator: ", ")
      throw FlowError(
        .noSuchStep, "the flow has \(found.count) steps called \"\(id)\": \(paths); name one by its path", step: id)
    }
    return only
  }

  private static func suggestions(for id: StepID, among nodes: [Node]) -> String {
    guard !nodes.isEmpty else { return "it has no steps" }
    let wanted = Array(id.name.unicodeScalars)
    let near = nodes.enumerated().map { index, node in
      (path: node.info.id, distance: distance(wanted, Array(node.info.id.name.unicodeScalars)), index: index)
    }
    .filter { $0.distance <= max(1, wanted.count / 2) }
    .sorted { ($0.distance, $0.index) < ($1.distance, $1.index) }
    let named = (near.isEmpty ? nodes.map(\.info.id) : near.map(\.path)).prefix(near.isEmpty ? 8 : 3)
    let list = named.map { "\"\($0)\"" }.joined(separator: ", ")
    if near.isEmpty { return "there are \(list)\(nodes.count > named.count ? ", …" : "")" }
    return "did you mean \(list)?"
  }

  /// The number of letters to insert, delete or change to turn one into the other.
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var row = Array(0...right.count)
    for (i, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let changed = diagonal + (letter == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[right.count]
  }
}

extension Graph {
  /// The first step or fork at an address or after it.
  package func node(from address: Int) -> Node? { nodes.first { $0.address >= address && $0.finalizer == nil } }

  /// The failure policy of the step with this path; if there is no such step, that of the next one after the address.
  /// Returns `nil` if the definition sets none.
  package func failurePolicy(of step: StepID, orAt address: Int) -> FailurePolicy? {
    (nodes.first { $0.elements(in: step) != nil } ?? node(from: address))?.failure
  }

  /// The path of the part that begins at an address, before it has reached a step: the path of its first step without
  /// that step and without the step's case. If nothing has a name, the kind of the part.
  package func path(around address: Int) -> [String] {
    let node = node(from: address)
    let choice = program[address..<(node?.address ?? program.count)].lazy.compactMap { instruction -> Choice? in
      if case .choose(let choice, _, _) = instruction { choice } else { nil }
    }.first
    var path = node?.path ?? [""]
    for _ in 0..<(choice?.cases.first?.name == nil ? 1 : 2) {
      let last = path.removeLast()
      path.append(last.lastIndex(of: "/").map { String(last[..<$0]) } ?? "")
    }
    guard path.joined().isEmpty else { return path }
    if case .open(let scope) = program[address], scope.isGuard { return ["guarded"] }
    return [choice == nil ? "loop" : "switch"]
  }

  /// The innermost fork around the instruction at `address`.
  package func fork(around address: Int) -> Node? {
    nodes.last { node in
      guard node.fork != nil, node.address < address, case .jump(let end) = program[node.address + 1] else {
        return false
      }
      return address < end
    }
  }

  /// Whether side branches return to the node.
  package func isMenu(_ node: Node) -> Bool {
    program.contains { instruction in
      if case .resume(let menu) = instruction { menu === node } else { false }
    }
  }
}
