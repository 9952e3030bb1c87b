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
