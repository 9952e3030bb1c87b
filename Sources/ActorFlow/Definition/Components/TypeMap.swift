/// The types that the parts of a ``TypeRouter`` take, and the ways that follow from them.
package struct TypeMap {
  package typealias Part = TypeRouterBuilder.Part

  /// A mistake in the definition, in a sentence, and the place that it is about.
  package struct Mistake {
    package enum Place {
      case start
      case part(Int)
      case end
    }

    package let place: Place
    package let message: String
  }

  let start: any Sendable.Type
  let end: any Sendable.Type
  let parts: [Part]
  private let acceptors: Acceptors
  /// The types that are taken as they are, so that a one-of among them is not split: as the update of a part's step, as
  /// a part's input or at the end.
  private let wholes: Set<ObjectIdentifier>

  package init(start: any Sendable.Type, end: any Sendable.Type, parts: [Part]) {
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

  /// The segments of the router, which are usable only if there are no mistakes.
  package var segments: [Segment] { unwrapping(start) + [.router(router)] }

  /// The router that these types make.
  private var router: Router {
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
  private func unwrapping(_ type: any Sendable.Type) -> [Segment] {
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
  package var mistakes: [Mistake] {
    let updates = ReceivedUpdates(of: parts.flatMap(\.segments))
    var mistakes = sameInputs
    // The input of a router is no update, whatever its steps receive.
    mistakes += unroutable(from: start, made: "the start is \(start)", nil).map { Mistake(place: .start, message: $0) }
    for (index, part) in parts.enumerated() {
      let messages = unroutable(from: part.output, made: "step \"\(part.name)\" makes \(part.output)", updates)
      mistakes += messages.map { Mistake(place: .part(index), message: $0) }
    }
    mistakes += unreachable
    for lost in router.lostUpdates(updates, evenUnreceived: false) {
      mistakes.append(Mistake(place: .part(lost.part), message: lost.message))
    }
    return mistakes
  }

  private var sameInputs: [Mistake] {
    var mistakes: [Mistake] = []
    for (index, part) in parts.enumerated() {
      if part.input == end {
        let message = "step \"\(part.name)\" takes \(end), which is the end"
        mistakes.append(Mistake(place: .part(index), message: message))
      }
      let same = parts[index...].filter { $0.input == part.input }
      guard same.count > 1, !parts[..<index].contains(where: { $0.input == part.input }) else { continue }
      let names = same.map { "\"\($0.name)\"" }.joined(separator: ", ")
      let message = "\(part.input) is ambiguous: steps \(names) all take it"
      mistakes.append(Mistake(place: .part(index), message: message))
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

  private var unreachable: [Mistake] {
    var reached: Set<Int> = []
    var next = routed(start)
    while let type = next.popLast() {
      for taker in acceptors.takers(of: type) where reached.insert(taker.index).inserted && taker.index < parts.count {
        next += routed(parts[taker.index].output)
      }
    }
    var mistakes = parts.indices.filter { !reached.contains($0) }.map { index in
      let message = "step \"\(parts[index].name)\", which takes \(parts[index].input), cannot be reached"
      return Mistake(place: .part(index), message: message)
    }
    if !reached.contains(parts.count) {
      mistakes.append(Mistake(place: .end, message: "the end, \(end), cannot be reached"))
    }
    return mistakes
  }
}
