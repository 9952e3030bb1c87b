/// The members of an object, by key.
struct ValueObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let members: [String: FlowDocument.Value]
  private let decoder: ValueDecoder
  private let id: String

  init(_ members: [String: FlowDocument.Value], _ decoder: ValueDecoder) {
    self.members = members
    self.decoder = decoder
    id = decoder.ledger.open(decoder.codingPath, members.keys) { Key(stringValue: $0) != nil }
  }

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] { members.keys.sorted().compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool {
    decoder.ledger.ask(key.stringValue, of: id)
    return members[key.stringValue] != nil
  }

  func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try member(key).decode(type) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  {
    try member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { member(named: AnyKey(stringValue: "super")) }

  func superDecoder(forKey key: Key) throws -> any Decoder { member(named: key) }

  private func member(_ key: Key) throws -> ValueDecoder {
    decoder.ledger.ask(key.stringValue, of: id)
    guard let value = members[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, DecodingError.Context(codingPath: codingPath, debugDescription: "the key is missing"))
    }
    return decoder.below(value, key)
  }

  /// Returns a decoder for a superclass, which may do without a value of its own.
  private func member(named key: any CodingKey) -> ValueDecoder {
    decoder.ledger.ask(key.stringValue, of: id)
    return decoder.below(members[key.stringValue] ?? .null, key)
  }
}

/// The elements of an array, one after the other.
struct ValueArray: UnkeyedDecodingContainer {
  let elements: [FlowDocument.Value]
  let decoder: ValueDecoder
  private(set) var currentIndex = 0

  init(elements: [FlowDocument.Value], decoder: ValueDecoder) {
    self.elements = elements
    self.decoder = decoder
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    guard try element().decodeNil() else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let value = try element().decode(type)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
    -> KeyedDecodingContainer<Nested>
  {
    let container = try element().container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try element().unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try element()
    currentIndex += 1
    return decoder
  }

  private func element() throws -> ValueDecoder {
    let key = AnyKey(intValue: currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        FlowDocument.Value.self,
        DecodingError.Context(
          codingPath: codingPath,
          debugDescription: "the array has only \(counted(elements.count, "element", "elements"))"))
    }
    return decoder.below(elements[currentIndex], key)
  }
}
