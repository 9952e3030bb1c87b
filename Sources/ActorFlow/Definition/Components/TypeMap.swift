/// The types that the parts of a ``TypeRouter`` take, and the mistakes in its definition.
struct TypeMap {
  typealias Part = TypeRouterBuilder.Part

  let start: any Sendable.Type
  let end: any Sendable.Type
  let parts: [Part]
  /// The types that some step receives as its update.
  private let updates: Set<ObjectIdentifier>
  /// The types that are taken as they are: as an update, as a part's input or at the end.
  private let taken: Set<ObjectIdentifier>

  init(start: any Sendable.Type, end: any Sendable.Type, parts: [Part]) {
    self.start = start
    self.end = end
    self.parts = parts
    let segments = parts.flatMap(\.segments)
    updates = Set(
      segments.compactMap { segment in
        guard case .step(_, let body) = segment, let receiver = body.types.receiver else { return nil }
        return ObjectIdentifier(receiver.update)
      })
    taken = updates.union(parts.map { ObjectIdentifier($0.input) }).union([ObjectIdentifier(end)])
  }

  // MARK: - Ways

  /// The case that leads to a part and through it.
  func way(to index: Int) -> Choice.Case {
    let part = parts[index]
    return Choice.Case(
      label: part.name, name: nil, match: match(part.input, part.accepts),
      segments: part.segments + unwrapping(part.output))
  }

  /// The case that leads out of the router.
  func wayOut<End>(as end: End.Type) -> Choice.Case {
    Choice.Case(label: "\(end)", name: nil, match: match(self.end) { $0 is End }, segments: [])
  }

  /// A part that takes exactly the value's type comes before a part that takes it among other types.
  private func match(
    _ type: any Sendable.Type, _ accepts: @escaping @Sendable (any Sendable) -> Bool
  ) -> @Sendable (any Sendable) -> (any Sendable)? {
    let own = ObjectIdentifier(type)
    return { [taken] value in
      let found = ObjectIdentifier(Swift.type(of: value))
      if found == own { return value }
      return !taken.contains(found) && accepts(value) ? value : nil
    }
  }

  /// The segments that take the value out of a `OneOf` of this type.
  func unwrapping(_ type: any Sendable.Type) -> [Segment] {
    guard type is any OneOf.Type, !taken.contains(ObjectIdentifier(type)) else { return [] }
    return [
      .transform { [taken] value in
        var value = value
        while !taken.contains(ObjectIdentifier(Swift.type(of: value))), let oneOf = value as? any OneOf {
          value = oneOf.carried
        }
        return value
      }
    ]
  }

  /// The types that a value of this type is routed as.
  private func routed(_ type: any Sendable.Type) -> [any Sendable.Type] {
    guard !taken.contains(ObjectIdentifier(type)), let oneOf = type as? any OneOf.Type else { return [type] }
    return oneOf.types.flatMap(routed)
  }

  /// The parts that a value of this type may go to.
  private func takers(of type: any Sendable.Type) -> [Int] {
    let exact = parts.indices.filter { parts[$0].input == type }
    return exact.isEmpty && type != end ? parts.indices.filter { parts[$0].takes(type) } : exact
  }
}

// MARK: - Mistakes

extension TypeMap {
  /// The mistakes in the definition, a sentence each, in the order of the definition.
  var mistakes: [String] {
    sameInputs + unroutable(from: start, made: "the start is \(start)")
      + parts.flatMap { unroutable(from: $0.output, made: "step \"\($0.name)\" makes \($0.output)") } + unreachable
  }

  private var sameInputs: [String] {
    var mistakes: [String] = []
    for (index, part) in parts.enumerated() {
      if part.input == end { mistakes.append("step \"\(part.name)\" takes \(end), which is the end") }
      let same = parts[index...].filter { $0.input == part.input }
      guard same.count > 1, !parts[..<index].contains(where: { $0.input == part.input }) else { continue }
      let names = same.map { "\"\($0.name)\"" }.joined(separator: ", ")
      mistakes.append("\(part.input) is ambiguous: steps \(names) all take it")
    }
    return mistakes
  }

  private func unroutable(from type: any Sendable.Type, made: String) -> [String] {
    var mistakes: [String] = []
    var seen: Set<ObjectIdentifier> = []
    for routed in routed(type) {
      guard seen.insert(ObjectIdentifier(routed)).inserted else {
        mistakes.append("\(made), in which \(routed) occurs twice, so its type does not identify it")
        continue
      }
      let takers = takers(of: routed)
      if takers.isEmpty, !updates.contains(ObjectIdentifier(routed)), routed != end {
        let part = routed == type ? "" : " with the case \(routed)"
        mistakes.append("\(made)\(part), which no step takes")
      } else if takers.count > 1, parts[takers[0]].input != routed {
        let names = takers.map { "\"\(parts[$0].name)\"" }.joined(separator: ", ")
        mistakes.append("\(made), and \(routed) is ambiguous: steps \(names) all take it")
      }
    }
    return mistakes
  }

  private var unreachable: [String] {
    var reached: Set<Int> = []
    var isEndReached = false
    var next = routed(start)
    while let type = next.popLast() {
      if type == end { isEndReached = true }
      for taker in takers(of: type) where reached.insert(taker).inserted { next += routed(parts[taker].output) }
    }
    var mistakes = parts.indices.filter { !reached.contains($0) }.map { index in
      "step \"\(parts[index].name)\", which takes \(parts[index].input), cannot be reached"
    }
    if !isEndReached { mistakes.append("the end, \(end), cannot be reached") }
    return mistakes
  }
}
