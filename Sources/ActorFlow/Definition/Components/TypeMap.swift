/// The types that the parts of a ``TypeRouter`` take, and the ways that follow from them.
struct TypeMap {
  typealias Part = TypeRouterBuilder.Part

  let start: any Sendable.Type
  let end: any Sendable.Type
  let parts: [Part]
  private let acceptors: Acceptors
  /// The types that are taken as they are, so that a one-of among them is not split: as the update of a part's step, as
  /// a part's input or at the end.
  private let wholes: Set<ObjectIdentifier>

  init(start: any Sendable.Type, end: any Sendable.Type, parts: [Part]) {
    self.start = start
    self.end = end
    self.parts = parts
    acceptors = Acceptors(parts.map(\.input) + [end], made: [start] + parts.map(\.output))
    let updates = parts.flatMap(\.segments).compactMap { segment -> ObjectIdentifier? in
      guard case .step(_, let body) = segment else { return nil }
      return body.types.receiver.map { ObjectIdentifier($0.update) }
    }
    wholes = Set(updates + parts.map { ObjectIdentifier($0.input) } + [ObjectIdentifier(end)])
  }

  /// The router that these types make.
  var router: Router {
    let cases = parts.indices.map { index in
      let segments = parts[index].segments + unwrapping(parts[index].output)
      return Choice.Case(label: parts[index].name, name: nil, match: acceptors.match(index), segments: segments)
    }
    let wayOut = Choice.Case(label: "\(end)", name: nil, match: acceptors.match(parts.count), segments: [])
    let takers = parts.map { "\"\($0.name)\" takes \($0.input)" } + ["the end takes \(end)"]
    return Router(
      choice: Choice(cases: cases + [wayOut], takers: takers.joined(separator: ", ")), leaving: [parts.count],
      routes: Router.Routes(start: made(start), parts: parts.map { made($0.output) }))
  }

  /// The segments that take the value out of a `OneOf` of this type.
  func unwrapping(_ type: any Sendable.Type) -> [Segment] {
    guard type is any OneOf.Type, !wholes.contains(ObjectIdentifier(type)) else { return [] }
    return [
      .transform { [wholes] value in
        var value = try StoredValue.read(value, as: [type])
        while !wholes.contains(ObjectIdentifier(Swift.type(of: value))), let oneOf = value as? any OneOf {
          value = oneOf.carried
        }
        return value
      }
    ]
  }

  /// The types that a value of this type is routed as.
  private func routed(_ type: any Sendable.Type) -> [any Sendable.Type] {
    guard !wholes.contains(ObjectIdentifier(type)), let oneOf = type as? any OneOf.Type else { return [type] }
    return oneOf.types.flatMap(routed)
  }

  private func made(_ type: any Sendable.Type) -> [Router.Routes.Made] {
    routed(type).map { type in
      let takers = acceptors.takers(of: type).map(\.index)
      return Router.Routes.Made(
        type: type, isTaken: !takers.isEmpty, takers: takers + acceptors.takersOfSubclasses(of: type))
    }
  }
}

// MARK: - Mistakes

extension TypeMap {
  /// The mistakes in the definition, a sentence each, in the order of the definition.
  var mistakes: [String] {
    let updates = ReceivedUpdates(of: parts.flatMap(\.segments))
    // The input of a router is no update, whatever its steps receive.
    return sameInputs + unroutable(from: start, made: "the start is \(start)", nil)
      + parts.flatMap { unroutable(from: $0.output, made: "step \"\($0.name)\" makes \($0.output)", updates) }
      + unreachable + router.lostUpdates(updates, evenUnreceived: false)
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

  private func unroutable(from type: any Sendable.Type, made: String, _ updates: ReceivedUpdates?) -> [String] {
    var mistakes: [String] = []
    var seen: Set<ObjectIdentifier> = []
    for routed in routed(type) {
      guard seen.insert(ObjectIdentifier(routed)).inserted else {
        mistakes.append("\(made), in which \(routed) occurs twice, so its type does not identify it")
        continue
      }
      let takers = acceptors.takers(of: routed)
      if takers.isEmpty, updates?.receive(routed) != true {
        let part = routed == type ? "" : " with the case \(routed)"
        mistakes.append("\(made)\(part), which no step takes")
      } else if takers.count > 1, takers[0].leaf != nil || acceptors.types[takers[0].index] != routed {
        let names = takers.map { name(of: $0.index) }.joined(separator: ", ")
        mistakes.append("\(made), and \(routed) is ambiguous: \(names) all take it")
      } else if takers.count == 1, acceptors.holdsTwice(takers[0], routed) {
        let input = acceptors.types[takers[0].index]
        mistakes.append(
          "\(made), and \(name(of: takers[0].index)) takes \(input), in which several cases take \(routed)")
      }
    }
    return mistakes
  }

  private func name(of index: Int) -> String {
    index == parts.count ? "the end" : "step \"\(parts[index].name)\""
  }

  private var unreachable: [String] {
    var reached: Set<Int> = []
    var next = routed(start)
    while let type = next.popLast() {
      for taker in acceptors.takers(of: type) where reached.insert(taker.index).inserted && taker.index < parts.count {
        next += routed(parts[taker.index].output)
      }
    }
    var mistakes = parts.indices.filter { !reached.contains($0) }.map { index in
      "step \"\(parts[index].name)\", which takes \(parts[index].input), cannot be reached"
    }
    if !reached.contains(parts.count) { mistakes.append("the end, \(end), cannot be reached") }
    return mistakes
  }
}
