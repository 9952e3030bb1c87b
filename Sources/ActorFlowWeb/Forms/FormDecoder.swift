/// The values of a form, as a decoder asks for them: the notes that a probe takes, or a form that was filled in.
protocol FormSource: AnyObject {
  /// Returns the text of a field.
  ///
  /// - Parameters:
  ///   - isOptional: Whether the decoder has asked whether there is a value.
  ///   - group: The name of the innermost optional value that the field is a part of; `nil` if it is none's.
  func text(of name: String, _ leaf: FormLeaf, isOptional: Bool, in group: String?) throws -> String
  /// Returns whether the field, and all that are parts of it, are empty.
  func isEmpty(_ name: String) -> Bool
}

/// The error of a type that no form can be made of.
struct UnsupportedByForms: Error {
  let name: String
  let type: String
}

/// Decodes a value from the fields of a form: a property each, with a path for properties of properties.
struct FormDecoder: Decoder {
  let source: any FormSource
  let codingPath: [any CodingKey]
  var isOptional = false
  /// The name of the innermost optional value around this one.
  var group: String?
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Deeper than people fill in forms; a type that holds itself would go on for ever.
  private static let maximumDepth = 8

  var name: String { Self.name(of: codingPath) }

  static func name(of path: [any CodingKey]) -> String {
    path.isEmpty ? "answer" : path.map(\.stringValue).joined(separator: ".")
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let (leaf, read) = FormParsing.leaf(of: type) {
      let text = try source.text(of: name, leaf, isOptional: isOptional, in: group)
      guard let value = read(text) else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: codingPath, debugDescription: "not a value of \(type)"))
      }
      return value
    }
    guard codingPath.count < Self.maximumDepth else { throw UnsupportedByForms(name: name, type: "\(type)") }
    return try type.init(from: self)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(FormFields<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw UnsupportedByForms(name: name, type: "a list")
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension FormDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { source.isEmpty(name) }
}

/// The fields of a form below a path.
private struct FormFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: FormDecoder
  /// The field about which the decoded type has asked whether it has a value.
  private let asked = AskedField()

  init(decoder: FormDecoder) { self.decoder = decoder }

  private final class AskedField {
    var name: String?
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { [] }
  func contains(_ key: Key) -> Bool { true }

  private func field(_ key: Key) -> FormDecoder {
    var field = FormDecoder(source: decoder.source, codingPath: codingPath + [key])
    field.isOptional = asked.name == key.stringValue
    field.group = decoder.isOptional ? decoder.name : decoder.group
    return field
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    asked.name = key.stringValue
    return decoder.source.isEmpty(field(key).name)
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    defer { asked.name = nil }
    return try field(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try field(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try field(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { decoder }

  func superDecoder(forKey key: Key) throws -> any Decoder { field(key) }
}
