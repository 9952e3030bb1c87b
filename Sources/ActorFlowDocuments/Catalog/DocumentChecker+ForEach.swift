import ActorFlow

extension DocumentChecker {
  mutating func forEach(
    _ entry: FlowDocument.Entry, _ value: inout Value, _ path: JSONPath, _ step: StepID?, _ depth: Int
  ) -> [Segment] {
    guard case .forEach(let name, let entries, let until) = entry.kind else { return [] }
    let list = elements(name, value, path, step)
    var result = Value(type: list?.element, maker: "an element of \(name.quoted)")
    _ = names.openElement()
    let branch = sequence(entries, &result, path["do"], depth: depth + 1)
    names.close()
    if entries.isEmpty {
      if !isHole(path["do"]) { add(.badValue, at: path["do"], Mistakes.emptyForEach, step: step) }
      result.type = nil
    }
    let goal = goal(until, result, &value, path["until"], step)
    guard let list, let goal else { return [] }
    return [.fork(Fork(kind: "each", branches: .each(elements: list.find, branch), goal: goal))]
  }

  private mutating func elements(
    _ name: String, _ value: Value, _ path: JSONPath, _ step: StepID?
  ) -> ElementList? {
    let path = path["forEach"]
    guard let list = find(name, in: catalog.elements, "list of elements", at: path, step: step) else { return nil }
    expect(value, list.value, of: "the list of elements \(name.quoted)", at: path, step)
    return list
  }

  /// Returns the goal of the branches; `nil` if it is not known, because there is a mistake.
  private mutating func goal(
    _ until: String?, _ result: Value, _ value: inout Value, _ path: JSONPath, _ step: StepID?
  ) -> Fork.Goal? {
    guard let until else {
      let results = isHole(path) ? nil : result.type.map { Self.results($0) }
      value = Value(type: results?.type, maker: "the array of the results")
      return results?.goal
    }
    let tally = find(until, in: catalog.tallies, "tally", at: path, step: step)
    value = Value(type: tally?.output, maker: "the output of \(until.quoted)")
    if let tally, let type = result.type, type != tally.result {
      add(
        .typeMismatch, at: path, "\(until.quoted) takes results of \(tally.result), but \(result.maker) is \(type)",
        step: step)
    }
    return tally?.goal
  }

  private static func results<Result: Sendable>(_ type: Result.Type) -> (type: any Sendable.Type, goal: Fork.Goal) {
    ([Result].self, .results(of: type))
  }
}
