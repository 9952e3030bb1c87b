import ActorFlow

extension DocumentChecker {
  mutating func choice(
    _ ways: [FlowDocument.Way], _ otherwise: [FlowDocument.Entry]?, _ value: inout Value, _ path: JSONPath,
    _ step: StepID?, _ depth: Int
  ) -> [Segment] {
    let input = value
    var output: Value?
    var cases: [Choice.Case] = []
    for (index, way) in ways.enumerated() {
      let path = path["switch"][index]
      var payload = Value(type: nil, maker: "the value of the case \(way.name.quoted)")
      var match: @Sendable (any Sendable) throws -> (any Sendable)? = { _ in nil }
      if !isHole(path), let condition = find(way.name, in: catalog.cases, "case", at: path["case"], step: step) {
        // A case looks at the value itself, so the exception for components that take `Void` does not apply.
        expect(input, condition.value, of: "the case \(way.name.quoted)", at: path["case"], step)
        payload.type = condition.result
        match = condition.ask
      }
      let part = way.part ?? way.name
      names.open(part)
      let segments = isHole(path) ? [] : sequence(way.entries, &payload, path["do"], depth: depth + 1)
      names.close()
      agree(payload, &output, "the case \(way.name.quoted)", path, step)
      cases.append(Choice.Case(label: way.name, name: part, match: match, segments: segments))
    }
    var rest: [Segment]?
    if let otherwise {
      var made = input
      rest = sequence(otherwise, &made, path["otherwise"], depth: depth + 1)
      agree(made, &output, "the part for 'otherwise'", path["otherwise"], step)
    }
    if ways.isEmpty, !isHole(path["switch"]) {
      add(.badValue, at: path, Mistakes.noCases, step: step)
    }
    value = Value(type: output?.type, maker: "the output of the switch")
    return [.choice(Choice(cases: cases, otherwise: rest))]
  }

  mutating func loop(
    _ entries: [FlowDocument.Entry], _ name: String, _ value: inout Value, _ path: JSONPath, _ step: StepID?,
    _ depth: Int
  ) -> [Segment] {
    let input = value
    if entries.isEmpty, !isHole(path["loop"]) { add(.badValue, at: path["loop"], Mistakes.emptyLoop, step: step) }
    let body = sequence(entries, &value, path["loop"], depth: depth + 1)
    let place = path["while"]
    guard let condition = find(name, in: catalog.loops, "loop", at: place, step: step) else { return [] }
    expect(value, condition.value, of: "the loop \(name.quoted)", at: place, step)
    if let type = input.type, type != condition.result {
      add(
        .typeMismatch, at: place,
        "the body takes \(type), but \(name.quoted) passes \(condition.result) to its next turn", step: step)
    }
    value.type = condition.value
    value.maker = "the output of the loop"
    return [
      .loop(
        Repetition(body: body) { made in
          if let next = try condition.ask(made) { .again(next) } else { .done(made) }
        })
    ]
  }

  mutating func parallel(
    _ entries: [FlowDocument.Entry], _ name: String, _ value: inout Value, _ path: JSONPath, _ step: StepID?,
    _ depth: Int
  ) -> [Segment] {
    let (branches, results) = self.branches(entries, value, path["parallel"], step, depth)
    value = Value(type: nil, maker: "the output of \(name.quoted)")
    guard let junction = find(name, in: catalog.joins, "join", at: path["join"], step: step) else { return [] }
    value.type = junction.result
    if junction.values.count != results.count, !isHole(path["parallel"]) {
      let (wanted, found) = (junction.values.count, results.count)
      add(
        .typeMismatch, at: path["join"],
        "\(name.quoted) joins \(counted(wanted, "result", "results")), "
          + "but gets those of \(counted(found, "branch", "branches"))", step: step)
    }
    for (index, (expected, result)) in zip(junction.values, results).enumerated() {
      guard let type = result.type, type != expected else { continue }
      add(
        .typeMismatch, at: path["parallel"][index],
        "\(name.quoted) takes \(expected) from this branch, but \(result.maker) is \(type)", step: step)
    }
    return [.fork(Fork(kind: "parallel", branches: .fixed(branches), goal: .all(join: junction.join)))]
  }

  mutating func race(
    _ entries: [FlowDocument.Entry], _ value: inout Value, _ path: JSONPath, _ step: StepID?, _ depth: Int
  ) -> [Segment] {
    let (branches, results) = self.branches(entries, value, path["race"], step, depth)
    var output: Value?
    for (index, result) in results.enumerated() {
      agree(result, &output, "this branch", path["race"][index], step)
    }
    value = Value(type: output?.type, maker: "the output of the race")
    return [.fork(Fork(kind: "race", branches: .fixed(branches), goal: .until { { first, _ in first } }))]
  }

  /// Makes a branch of each entry. All branches get the same value.
  private mutating func branches(
    _ entries: [FlowDocument.Entry], _ value: Value, _ path: JSONPath, _ step: StepID?, _ depth: Int
  ) -> (branches: [Fork.Branch], results: [Value]) {
    if entries.isEmpty, !isHole(path) { add(.badValue, at: path, Mistakes.noBranches, step: step) }
    var branches: [Fork.Branch] = []
    var results: [Value] = []
    for (index, entry) in entries.enumerated() {
      var result = value
      let number = entry.isNumbered ? "\(index)" : nil
      if let number { names.open(number) }
      branches.append(Fork.Branch(name: nil, segments: self.entry(entry, &result, path[index], depth: depth + 1)))
      if number != nil { names.close() }
      results.append(result)
    }
    return (branches, results)
  }

  private mutating func expect(_ value: Value, _ type: Any.Type, of name: String, at path: JSONPath, _ step: StepID?) {
    guard let known = value.type, known != type else { return }
    add(.typeMismatch, at: path, "\(name) takes \(type), but \(value.maker) is \(known)", step: step)
  }

  /// Reports a way of a switch or a branch of a race that makes another type than the first whose type is known.
  private mutating func agree(
    _ made: Value, _ output: inout Value?, _ name: String, _ path: JSONPath, _ step: StepID?
  ) {
    guard let type = made.type else { return }
    guard let first = output, let agreed = first.type else {
      output = made
      return
    }
    guard type != agreed else { return }
    add(
      .typeMismatch, at: path, "\(name) makes \(type) (\(made.maker)), but the ones before it make \(agreed)",
      step: step)
  }
}

extension FlowDocument.Entry {
  /// Whether a branch with this entry is named by its number, because no single name surrounds everything in it.
  fileprivate var isNumbered: Bool {
    guard name == nil else { return false }
    return switch kind {
    case .step, .parallel, .race: false
    case .switch, .loop: true
    case .flow(let entries): entries.count == 1 ? entries[0].isNumbered : true
    }
  }
}
