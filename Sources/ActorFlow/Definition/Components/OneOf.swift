/// A value of one of several types, without its generic parameters.
package protocol OneOf: Sendable {
  /// The types in the order of the cases.
  static var types: [any Sendable.Type] { get }
  /// The value of the case.
  var carried: any Sendable { get }
  /// Returns the first case that holds the value as a value of the type `leaf`, directly or in a one-of nested in it;
  /// `nil` if there is none.
  static func holding(_ value: any Sendable, as leaf: any Sendable.Type) -> Self?
}

extension OneOf {
  /// The types in the order of the cases, with those of a nested one-of in its place.
  package static var leaves: [any Sendable.Type] {
    types.flatMap { ($0 as? any OneOf.Type)?.leaves ?? [$0] }
  }

  /// Returns the value as a case's value of type `T`, if `leaf` is this type or stands in it.
  fileprivate static func lifted<T: Sendable>(
    _ value: any Sendable, as leaf: any Sendable.Type, to type: T.Type
  ) -> T? {
    if type == leaf { return value as? T }
    return (type as? any OneOf.Type)?.holding(value, as: leaf) as? T
  }
}

/// A value of one of two types, with the case it was made as.
///
/// Return it from a step that a ``Route`` follows. Only the case decides, never the type of its value: a
/// `OneOf2<Int, Int>` keeps its two cases apart. For more than four types, nest one in another.
///
/// A step of a ``TypeRouter`` may also take one: the step is entered with a value of either type, as its case.
public enum OneOf2<A: Sendable, B: Sendable>: Sendable {
  /// A value of the first type.
  case first(A)
  /// A value of the second type.
  case second(B)
}

/// A value of one of three types. See ``OneOf2``.
public enum OneOf3<A: Sendable, B: Sendable, C: Sendable>: Sendable {
  /// A value of the first type.
  case first(A)
  /// A value of the second type.
  case second(B)
  /// A value of the third type.
  case third(C)
}

/// A value of one of four types. See ``OneOf2``.
public enum OneOf4<A: Sendable, B: Sendable, C: Sendable, D: Sendable>: Sendable {
  /// A value of the first type.
  case first(A)
  /// A value of the second type.
  case second(B)
  /// A value of the third type.
  case third(C)
  /// A value of the fourth type.
  case fourth(D)
}

extension OneOf2: Equatable where A: Equatable, B: Equatable {}
extension OneOf3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension OneOf4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

extension OneOf2: Hashable where A: Hashable, B: Hashable {}
extension OneOf3: Hashable where A: Hashable, B: Hashable, C: Hashable {}
extension OneOf4: Hashable where A: Hashable, B: Hashable, C: Hashable, D: Hashable {}

extension OneOf2: Codable where A: Codable, B: Codable {}
extension OneOf3: Codable where A: Codable, B: Codable, C: Codable {}
extension OneOf4: Codable where A: Codable, B: Codable, C: Codable, D: Codable {}

extension OneOf2: OneOf {
  package static var types: [any Sendable.Type] { [A.self, B.self] }
  package var carried: any Sendable {
    switch self {
    case .first(let value): value
    case .second(let value): value
    }
  }
  package static func holding(_ value: any Sendable, as leaf: any Sendable.Type) -> Self? {
    if let value = lifted(value, as: leaf, to: A.self) { return .first(value) }
    return lifted(value, as: leaf, to: B.self).map { .second($0) }
  }
}

extension OneOf3: OneOf {
  package static var types: [any Sendable.Type] { [A.self, B.self, C.self] }
  package var carried: any Sendable {
    switch self {
    case .first(let value): value
    case .second(let value): value
    case .third(let value): value
    }
  }
  package static func holding(_ value: any Sendable, as leaf: any Sendable.Type) -> Self? {
    if let value = lifted(value, as: leaf, to: A.self) { return .first(value) }
    if let value = lifted(value, as: leaf, to: B.self) { return .second(value) }
    return lifted(value, as: leaf, to: C.self).map { .third($0) }
  }
}

extension OneOf4: OneOf {
  package static var types: [any Sendable.Type] { [A.self, B.self, C.self, D.self] }
  package var carried: any Sendable {
    switch self {
    case .first(let value): value
    case .second(let value): value
    case .third(let value): value
    case .fourth(let value): value
    }
  }
  package static func holding(_ value: any Sendable, as leaf: any Sendable.Type) -> Self? {
    if let value = lifted(value, as: leaf, to: A.self) { return .first(value) }
    if let value = lifted(value, as: leaf, to: B.self) { return .second(value) }
    if let value = lifted(value, as: leaf, to: C.self) { return .third(value) }
    return lifted(value, as: leaf, to: D.self).map { .fourth($0) }
  }
}
