/// The inputs of a router's parts, then the type of its end, and the values that go to each.
///
/// A value goes to the acceptor of exactly its type. If there is none, to the one-of with a leaf of exactly its type.
/// If there is none either, to an acceptor of a superclass, as a whole or as a leaf; the end comes last.
struct Acceptors: Sendable {
  /// An acceptor of a value.
  struct Taker: Sendable {
    let index: Int
    /// The leaf of the acceptor's one-of that the value becomes; `nil` if the acceptor takes the value itself.
    let leaf: (any Sendable.Type)?
  }

  let types: [any Sendable.Type]
  /// The leaves of each acceptor that is a one-of; empty for every other.
  private let leaves: [[any Sendable.Type]]
  private let wholes: [ObjectIdentifier: Int]
  private let holders: [ObjectIdentifier: Taker]
  /// The declared types of the values that come.
  private let made: [any Sendable.Type]
  /// The index of the end.
  private var end: Int { types.count - 1 }

  init(_ types: [any Sendable.Type], made: [any Sendable.Type]) {
    (self.types, self.made) = (types, made)
    leaves = types.map { ($0 as? any OneOf.Type)?.leaves ?? [] }
    var wholes: [ObjectIdentifier: Int] = [:]
    var holders: [ObjectIdentifier: Taker] = [:]
    for index in types.indices.reversed() {
      wholes[ObjectIdentifier(types[index])] = index
      for leaf in leaves[index] { holders[ObjectIdentifier(leaf)] = Taker(index: index, leaf: leaf) }
    }
    (self.wholes, self.holders) = (wholes, holders)
  }

  // MARK: - By declared type

  /// The acceptors of values of a declared type. More than one is a mistake in the definition.
  func takers(of type: any Sendable.Type) -> [Taker] {
    let exact = types.indices.filter { types[$0] == type }.map { Taker(index: $0, leaf: nil) }
    guard exact.isEmpty else { return exact }
    let holding = leaves.indices.filter { leaves[$0].contains { $0 == type } }.map { Taker(index: $0, leaf: type) }
    guard holding.isEmpty else { return holding }
    let above = candidates { Self.isSubtype(type, of: $0) }
    // As with exact takers, one of the whole comes before one of a leaf.
    guard let first = above.first, above.allSatisfy({ target(of: $0) == target(of: first) }) else { return above }
    let direct = above.filter { $0.leaf == nil }
    return direct.isEmpty ? above : direct
  }

  /// Whether a taker's one-of has several cases for values of this type.
  func holdsTwice(_ taker: Taker, _ type: any Sendable.Type) -> Bool {
    guard let leaf = taker.leaf else { return false }
    return leaves[taker.index].count { leaf == type ? $0 == type : Self.isSubtype(type, of: $0) } > 1
  }

  /// The acceptors that an instance of a subclass of a declared type may go to instead.
  func takersOfSubclasses(of type: any Sendable.Type) -> [Int] {
    types.indices.filter { index in
      ([types[index]] + leaves[index]).contains { $0 != type && Self.isSubtype($0, of: type) }
    }
  }

  // MARK: - By value

  /// The closure that returns the input of an acceptor for a value; `nil` if the value goes to another one.
  func match(_ index: Int) -> @Sendable (any Sendable) throws -> (any Sendable)? {
    let oneOf = types[index] as? any OneOf.Type
    return { [self] value in
      let value = try StoredValue.read(value, as: made)
      guard let taker = taker(of: value), taker.index == index else { return nil }
      guard let leaf = taker.leaf else { return value }
      return oneOf?.holding(value, as: leaf)
    }
  }

  private func taker(of value: any Sendable) -> Taker? {
    let type = ObjectIdentifier(Swift.type(of: value))
    if let index = wholes[type] { return Taker(index: index, leaf: nil) }
    if let holder = holders[type] { return holder }
    let above = candidates { Self.isValue(value, of: $0) }
    // The nearest superclass, so that an instance of a subclass goes where one of the declared type would go.
    return above.first { nearest in
      above.allSatisfy { Self.isSubtype(target(of: nearest), of: target(of: $0)) }
    } ?? above.first
  }

  private func target(of taker: Taker) -> any Sendable.Type { taker.leaf ?? types[taker.index] }

  /// The acceptors of which the whole or a leaf fulfils a condition: first those of the whole. The end counts only if
  /// there is no other.
  private func candidates(_ fits: (any Sendable.Type) -> Bool) -> [Taker] {
    func found(among indices: Range<Int>) -> [Taker] {
      let direct = indices.filter { leaves[$0].isEmpty && fits(types[$0]) }.map { Taker(index: $0, leaf: nil) }
      let holding = indices.compactMap { index in leaves[index].first(where: fits).map { Taker(index: index, leaf: $0) }
      }
      return direct + holding
    }
    let parts = found(among: 0..<end)
    return parts.isEmpty ? found(among: end..<types.count) : parts
  }

  static func isSubtype(_ type: any Sendable.Type, of other: any Sendable.Type) -> Bool {
    func isSubtype<Other>(of other: Other.Type) -> Bool { type is Other.Type }
    return isSubtype(of: other)
  }

  private static func isValue(_ value: any Sendable, of type: any Sendable.Type) -> Bool {
    func isValue<T>(of type: T.Type) -> Bool { value is T }
    return isValue(of: type)
  }
}

extension StoredValue {
  /// Returns the value, unpacked if a walk begins with it again after its flow was activated.
  ///
  /// - Parameter types: The types that it may have been packed as.
  /// - Throws: A ``FlowError`` with the code `typeMismatch` if the value cannot be decoded.
  static func read(_ value: any Sendable, as types: [any Sendable.Type]) throws -> any Sendable {
    guard value is StoredValue else { return value }
    func unpacked<T: Sendable>(as type: T.Type) throws -> (any Sendable)? {
      StepBody.isValue(value, of: type) ? try StepBody.cast(value, to: type) : nil
    }
    for type in types {
      if let unpacked = try unpacked(as: type) { return unpacked }
    }
    return value
  }
}
