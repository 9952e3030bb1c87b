import ActorFlow

extension DocumentChecker {
  mutating func choice(
    _ entry: FlowDocument.Entry, _ value: inout Value, _ path: JSONPath, _ step: StepID?, _ depth: Int,
    _ ending: (any Sendable.Type)?
  ) -> [Segment] {
    guard case .switch(let ways, let otherwise) = entry.kind else { return [] }
    var output: Value?
    var cases: [Choice.Case] = []
    for index in ways.indices {
      let (made, branch) = way(ways[index], of: value, path["switch"][index], step, depth, ending)
      agree(branch, &output, .way(ways[index].name), path["switch"][index], step)
      cases.append(made)
    }
    var rest: [Segment]?
    if let otherwise {
      var made = value
      rest = sequence(otherwise, &made, path["otherwise"], depth: depth + 1, ending: ending)
      agree(made, &output, .otherwise, path["otherwise"], step)
    }
    if ways.isEmpty, !isHole(path["switch"]) {
      add(.badValue, at: path, Mistakes.noCases("a switch"), step: step)
    }
    value = Value(type: output?.type, maker: "the output of the switch")
    return [.choice(Choice(cases: cases, otherwise: rest))]
  }

  /// Makes a case of a way, and returns it with the output of its components.
  mutating func way(
    _ way: FlowDocument.Way, of input: Value, _ path: JSONPath, _ step: StepID?, _ depth: Int,
    _ ending: (any Sendable.Type)? = nil
  ) -> (made: Choice.Case, output: Value) {
    var (payload, match) = match(way.name, input, path, step)
    names.open(way.part ?? way.name)
    let segments = sequence(way.entries, &payload, path["do"], depth: depth + 1, ending: ending)
    names.close()
    let made = Choice.Case(label: way.name, name: way.part ?? way.name, match: match, segments: segments)
    return (made, payload)
  }

  /// Returns the condition of a case, and the value that it finds.
  private mutating func match(
    _ name: String, _ input: Value, _ path: JSONPath, _ step: StepID?
  ) -> (Value, @Sendable (any Sendable) throws -> (any Sendable)?) {
    var payload = Value(type: nil, maker: "the value of the case \(name.quoted)")
    guard !isHole(path), let condition = find(name, in: catalog.cases, "case", at: path["case"], step: step) else {
      return (payload, { _ in nil })
    }
    expect(input, condition.value, of: "the case \(name.quoted)", at: path["case"], step)
    payload.type = condition.result
    return (payload, condition.ask)
  }

  mutating func loop(
    _ entry: FlowDocument.Entry, _ value: inout Value, _ path: JSONPath, _ step: StepID?, _ depth: Int
  ) -> [Segment] {
    guard case .loop(let entries, let name) = entry.kind else { return [] }
    if entries.isEmpty, !isHole(path["loop"]) { add(.badValue, at: path["loop"], Mistakes.emptyLoop, step: step) }
    let input = value
    let body = sequence(entries, &value, path["loop"], depth: depth + 1)
    return repetition(of: body, name, input, &value, path["while"], step)
  }

  private mutating func repetition(
    of body: [Segment], _ name: String, _ input: Value, _ value: inout Value, _ place: JSONPath, _ step: StepID?
  ) -> [Segment] {
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
    _ entry: FlowDocument.Entry, _ value: inout Value, _ path: JSONPath, _ step: StepID?, _ depth: Int
  ) -> [Segment] {
    guard case .parallel(let entries, let name) = entry.kind else { return [] }
    let (branches, results) = self.branches(entries, value, path["parallel"], step, depth)
    return joined(branches, results, name, &value, path, step)
  }

  private mutating func joined(
    _ branches: [Fork.Branch], _ results: [Value], _ name: String, _ value: inout Value, _ path: JSONPath,
    _ step: StepID?
  ) -> [Segment] {
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
    _ entry: FlowDocument.Entry, _ value: inout Value, _ path: JSONPath, _ step: StepID?, _ depth: Int,
    _ ending: (any Sendable.Type)?
  ) -> [Segment] {
    guard case .race(let entries) = entry.kind else { return [] }
    let (branches, results) = self.branches(entries, value, path["race"], step, depth, ending)
    var output: Value?
    for index in results.indices { agree(results[index], &output, .branch, path["race"][index], step) }
    value = Value(type: output?.type, maker: "the output of the race")
    return [.fork(Fork(kind: "race", branches: .fixed(branches), goal: .until { { first, _ in first } }))]
  }

  /// Makes a branch of each entry. All branches get the same value.
  private mutating func branches(
    _ entries: [FlowDocument.Entry], _ value: Value, _ path: JSONPath, _ step: StepID?, _ depth: Int,
    _ ending: (any Sendable.Type)? = nil
  ) -> (branches: [Fork.Branch], results: [Value]) {
    if entries.isEmpty, !isHole(path) { add(.badValue, at: path, Mistakes.noBranches, step: step) }
    var branches: [Fork.Branch] = []
    var results: [Value] = []
    for index in entries.indices {
      results.append(value)
      let isNumbered = entries[index].isNumbered
      if isNumbered { names.open("\(index)") }
      let segments = entry(entries[index], &results[index], path[index], depth: depth + 1, ending: ending)
      if isNumbered { names.close() }
      branches.append(Fork.Branch(name: nil, segments: segments))
    }
    return (branches, results)
  }

  private enum Alternative {
    case way(String)
    case otherwise
    case branch
  }

  /// Reports a way of a switch or a branch of a race that makes another type than the first whose type is known.
  private mutating func agree(
    _ made: Value, _ output: inout Value?, _ alternative: Alternative, _ path: JSONPath, _ step: StepID?
  ) {
    guard let type = made.type else { return }
    guard let first = output, let agreed = first.type else {
      output = made
      return
    }
    guard type != agreed else { return }
    let name =
      switch alternative {
      case .way(let name): "the case \(name.quoted)"
      case .otherwise: "the part for 'otherwise'"
      case .branch: "this branch"
      }
    add(
      .typeMismatch, at: path, "\(name) makes \(type) (\(made.maker)), but the ones before it make \(agreed)",
      step: step)
  }
}

extension FlowDocument.Entry {
  /// Whether a branch with this entry is named by its number, because no single name surrounds everything in it.
  fileprivate var isNumbered: Bool {
    switch kind {
    case .parallel, .race, .forEach: true
    case .step: false
    case .switch, .loop, .hub, .typeRouter: name == nil
    case .flow(let entries) where name == nil: entries.count == 1 ? entries[0].isNumbered : true
    case .flow: false
    }
  }
}
