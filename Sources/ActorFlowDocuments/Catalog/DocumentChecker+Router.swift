import ActorFlow

extension DocumentChecker {
  mutating func typeRouter(
    _ entry: FlowDocument.Entry, _ value: inout Value, _ path: JSONPath, _ step: StepID?, _ depth: Int,
    _ ending: (any Sendable.Type)?
  ) -> [Segment] {
    guard case .typeRouter(let entries, let end) = entry.kind else { return [] }
    guard entries.count <= DocumentKeys.mostParts else {
      add(.tooLarge, at: path["typeRouter"], Mistakes.longRouter, step: step)
      value.type = nil
      return []
    }
    var parts: [TypeRouterBuilder.Part] = []
    for index in entries.indices {
      guard let part = part(entries[index], path["typeRouter"][index], step, depth) else { continue }
      parts.append(part)
    }
    if entries.isEmpty, !isHole(path["typeRouter"]) {
      add(.badValue, at: path["typeRouter"], Mistakes.emptyRouter, step: step)
    }
    let start = value.type
    value = Value(type: self.end(end, path, step, ending), maker: "the output of the typeRouter")
    guard let start, let type = value.type, !entries.isEmpty, parts.count == entries.count else { return [] }
    return routed(TypeMap(start: start, end: type, parts: parts), path, end == nil ? nil : path["end"], step)
  }

  private mutating func routed(
    _ map: TypeMap, _ path: JSONPath, _ end: JSONPath?, _ step: StepID?
  ) -> [Segment] {
    let mistakes = map.mistakes
    let path = path["typeRouter"]
    for mistake in mistakes {
      let place =
        switch mistake.place {
        case .start: path
        case .part(let index): path[index]
        case .end: end ?? path
        }
      add(.badRoute, at: place, mistake.message, step: step)
    }
    return mistakes.isEmpty ? map.segments : []
  }

  /// Makes a part of an entry; returns `nil` after a mistake that makes a type unknown.
  private mutating func part(
    _ entry: FlowDocument.Entry, _ path: JSONPath, _ step: StepID?, _ depth: Int
  ) -> TypeRouterBuilder.Part? {
    let input = input(of: entry)
    var value = Value(type: input, maker: "the value that is routed to this entry")
    let before = mistakes.count
    let segments = self.entry(entry, &value, path, depth: depth + 1)
    guard let input else {
      if mistakes.count == before, !isHole(path) { add(.badRoute, at: path, Mistakes.noInput, step: step) }
      return nil
    }
    return value.type.map { Self.part(segments, input, $0) }
  }

  private static func part<Input: Sendable, Output: Sendable>(
    _ segments: [Segment], _ input: Input.Type, _ output: Output.Type
  ) -> TypeRouterBuilder.Part {
    TypeRouterBuilder.Part(Flow<Input, Output>(segments: segments)) { $0.shown() }
  }

  private mutating func end(
    _ name: String?, _ path: JSONPath, _ step: StepID?, _ ending: (any Sendable.Type)?
  ) -> (any Sendable.Type)? {
    if let name { return find(name, in: catalog.types, "type", at: path["end"], step: step) }
    if isHole(path["end"]) { return nil }
    if ending == nil {
      add(
        .missingKey, at: path,
        "a typeRouter needs the key 'end', unless it is the last entry and its output is that of the document",
        step: step)
    }
    return ending
  }

  /// Returns the type that an entry takes, as far as its names tell.
  private func input(of entry: FlowDocument.Entry) -> (any Sendable.Type)? {
    // The entries that get the value first, and whether any value may pass by them.
    var open = [(entry: entry, isPassing: false)]
    var nothing: (any Sendable.Type)?
    while let (entry, isPassing) = open.popLast() {
      let type: (any Sendable.Type)?
      if let name = entry.carrying, let values = catalog.joins[name]?.values, values.count == 2 {
        type = values[0]
      } else if let first = entry.kind.first {
        let isPassing = isPassing || entry.isPassingThrough
        open += first.reversed().map { ($0, isPassing) }
        continue
      } else {
        type = self.type(of: entry)
      }
      guard let type else { continue }
      if type != Void.self { return type }
      // A branch that takes nothing may be beside any other.
      if !isPassing, !entry.isPassingThrough { nothing = type }
    }
    return nothing
  }

  /// Returns the type that an entry which begins with no other entry takes.
  private func type(of entry: FlowDocument.Entry) -> (any Sendable.Type)? {
    switch entry.kind {
    case .step(let name, _): catalog.components[name]?.input
    case .switch(let ways, _): ways.lazy.compactMap { catalog.cases[$0.name]?.value }.first
    case .loop(_, let name): catalog.loops[name]?.result
    case .forEach(let name, _, _): catalog.elements[name]?.value
    case .flow: entry.map.flatMap { catalog.transforms[$0]?.value }
    case .parallel, .race, .hub, .typeRouter: nil
    }
  }
}

extension FlowDocument.Kind {
  /// The entries that get the value first; `nil` if another part of the kind does.
  fileprivate var first: [FlowDocument.Entry]? {
    switch self {
    case .flow(let entries): entries.first.map { [$0] }
    case .parallel(let branches, _), .race(let branches): branches
    case .hub(let menu, _, _, _): [menu]
    case .step, .switch, .loop, .forEach, .typeRouter: nil
    }
  }
}
