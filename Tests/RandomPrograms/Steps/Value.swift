package import ActorFlow

/// The value that is passed from step to step.
package struct Value: Codable, Sendable, Hashable {
  /// Decides the course of the flow. Set by the latest answer.
  package var number = 0
  /// The entries that the steps have added so far.
  package var trail = ""
  /// The elements of the `ForEach`es around, outermost first.
  package var elements: [Int] = []

  package init(_ number: Int = 0, trail: String = "", elements: [Int] = []) {
    (self.number, self.trail, self.elements) = (number, trail, elements)
  }

  package func with(_ number: Int, adding text: String = "") -> Value {
    Value(number, trail: trail + text, elements: elements)
  }

  /// The elements of a `ForEach`.
  package func split(_ count: Int) -> [Value] {
    (0..<count).map { Value(number, trail: "\($0)", elements: elements + [$0]) }
  }

  /// Joins the values of several branches. The number is made of the last digits of their sum: a loop around a fork of
  /// three would otherwise run for ever, because the sum would always be a number with which the loop continues.
  package static func join(_ values: [Value]) -> Value {
    Value(
      values.reduce(0) { $0 + $1.number } % 1_000, trail: "(" + values.map(\.trail).joined(separator: "|") + ")",
      elements: values.first?.elements ?? [])
  }

  package static func joinElements(_ values: [Value]) -> Value {
    var joined = join(values)
    joined.elements.removeLast(joined.elements.isEmpty ? 0 : 1)
    return joined
  }
}

/// The input and the output of a step of any type: each carries a ``Value``.
package protocol Carrier: Codable, Sendable {
  init(carrying value: Value)
  var value: Value { get }
}

extension Value: Carrier {
  package init(carrying value: Value) { self = value }
  package var value: Value { self }
}

/// Wraps a value in a type of its own, for a part of the flow that is found by its type.
package struct Typed<Place>: Carrier {
  package let value: Value
  package init(carrying value: Value) { self.value = value }
}

/// The inputs of the two branches of a `Route`.
package typealias Left = Typed<Places.Left>
package typealias Right = Typed<Places.Right>
/// The types between the steps of a `TypeRouter`.
package typealias Arrival = Typed<Places.Arrival>
package typealias Middle = Typed<Places.Middle>
package typealias Departure = Typed<Places.Departure>

package enum Places {
  package enum Left {}
  package enum Right {}
  package enum Arrival {}
  package enum Middle {}
  package enum Departure {}
}

extension OneOf2: Carrier where A: Carrier, B: Carrier {
  package init(carrying value: Value) {
    self = value.number % 2 == 0 ? .first(A(carrying: value)) : .second(B(carrying: value))
  }

  package var value: Value {
    switch self {
    case .first(let carrier): carrier.value
    case .second(let carrier): carrier.value
    }
  }
}

extension Exit: Carrier where Value: Carrier, Outcome: Carrier {
  package init(carrying value: RandomPrograms.Value) {
    self = value.finishesEarly ? .finish(Outcome(carrying: value)) : .proceed(Value(carrying: value))
  }

  package var value: RandomPrograms.Value {
    switch self {
    case .proceed(let carrier): carrier.value
    case .finish(let carrier): carrier.value
    }
  }
}

extension OneOf3: Carrier where A: Carrier, B: Carrier, C: Carrier {
  package init(carrying value: Value) {
    switch value.number % 3 {
    case 0: self = .first(A(carrying: value))
    case 1: self = .second(B(carrying: value))
    default: self = .third(C(carrying: value))
    }
  }

  package var value: Value {
    switch self {
    case .first(let carrier): carrier.value
    case .second(let carrier): carrier.value
    case .third(let carrier): carrier.value
    }
  }
}
