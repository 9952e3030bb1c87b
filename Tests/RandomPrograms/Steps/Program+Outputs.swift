import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Program {
  /// Returns the JSON with which an operator completes a step, so that the flow goes on as after an answer `go(number)`;
  /// `nil` if the program has no such step.
  package func completion(of name: String, with output: Value, orAnswer number: Int) throws -> [UInt8]? {
    guard let step = steps.first(where: { $0.name == name }) else { return nil }
    let carrier: any Encodable & Sendable =
      if step.onlyAsks { Command.go(number) } else { carrier(of: name, output) ?? output }
    return [UInt8](try JSONEncoder().encode(carrier))
  }

  /// Returns the JSON with which an operator enters a step anew, and the input as the step sees it; `nil` if the program
  /// has no such step.
  package func entering(_ name: String, with input: Value) throws -> (json: [UInt8], input: Value)? {
    guard steps.contains(where: { $0.name == name }) else { return nil }
    for part in parts {
      guard let carrier = part.taken(by: name, input) else { continue }
      return ([UInt8](try JSONEncoder().encode(carrier)), input)
    }
    // A step without an input.
    if parts.contains(where: { $0.isAside(name) }) { return (Array("null".utf8), Value()) }
    return ([UInt8](try JSONEncoder().encode(input)), input)
  }

  /// Whether the input of a step is a plain ``Value``.
  package func takesValue(_ name: String) -> Bool {
    !parts.contains { $0.isAside(name) || $0.taken(by: name, Value()) != nil }
  }

  /// Returns the output of a step as its own type; `nil` if that is ``Value``.
  private func carrier(of name: String, _ output: Value) -> (any Encodable & Sendable)? {
    for part in parts { if let carrier = part.carrier(of: name, output) { return carrier } }
    return nil
  }
}

extension Part {
  fileprivate func carrier(of name: String, _ output: Value) -> (any Encodable & Sendable)? {
    switch self {
    case .step, .aside: break
    case .route(let chooser, let left, let right):
      if chooser.name == name { return OneOf2<Left, Right>(carrying: output) }
      return (left.1 + right.1).carrier(of: name, output)
    case .router(let entry, let first, let second):
      if entry.name == name { return Arrival(carrying: output) }
      if first.name == name { return OneOf2<Middle, Departure>(carrying: output) }
      if second.name == name { return OneOf3<RoutedNote, Arrival, Departure>(carrying: output) }
    case .early(let pieces):
      if pieces.contains(where: { $0.0.name == name }) { return Exit<Value, Value>(carrying: output) }
      return pieces.flatMap(\.1).carrier(of: name, output)
    case .choice(let bodies), .hub(_, let bodies), .fork(_, let bodies):
      return bodies.flatMap { $0 }.carrier(of: name, output)
    case .loop(let body), .scope(_, let body), .passing(let body): return body.carrier(of: name, output)
    }
    return nil
  }
}

extension [Part] {
  fileprivate func carrier(of name: String, _ output: Value) -> (any Encodable & Sendable)? {
    for part in self { if let carrier = part.carrier(of: name, output) { return carrier } }
    return nil
  }
}

extension Part {
  /// Returns the input of a step as its own type; `nil` if that is ``Value``, or if the step takes none.
  fileprivate func taken(by name: String, _ input: Value) -> (any Encodable & Sendable)? {
    switch self {
    case .step, .aside: nil
    case .route(_, let left, let right):
      if left.0.name == name {
        Left(carrying: input)
      } else if right.0.name == name {
        Right(carrying: input)
      } else {
        (left.1 + right.1).taken(by: name, input)
      }
    case .router(_, let first, let second):
      if first.name == name {
        Arrival(carrying: input)
      } else if second.name == name {
        OneOf2<OneOf2<Right, Middle>, Value>(carrying: input)
      } else {
        nil
      }
    case .early(let pieces): pieces.flatMap(\.1).taken(by: name, input)
    case .choice(let bodies), .hub(_, let bodies), .fork(_, let bodies): bodies.flatMap { $0 }.taken(by: name, input)
    case .loop(let body), .scope(_, let body), .passing(let body): body.taken(by: name, input)
    }
  }

  /// Whether this part, or one inside, is a step of this name without an input.
  fileprivate func isAside(_ name: String) -> Bool {
    switch self {
    case .aside(let plan): plan.name == name
    case .step, .router: false
    case .early(let pieces): pieces.contains { $0.1.contains { $0.isAside(name) } }
    case .choice(let bodies), .hub(_, let bodies), .fork(_, let bodies):
      bodies.contains { $0.contains { $0.isAside(name) } }
    case .route(_, let left, let right): (left.1 + right.1).contains { $0.isAside(name) }
    case .loop(let body), .scope(_, let body), .passing(let body): body.contains { $0.isAside(name) }
    }
  }
}

extension [Part] {
  fileprivate func taken(by name: String, _ input: Value) -> (any Encodable & Sendable)? {
    for part in self { if let carrier = part.taken(by: name, input) { return carrier } }
    return nil
  }
}
