#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A decoder of one value.
struct ValueDecoder: Decoder {
  let value: FlowDocument.Value
  let codingPath: [any CodingKey]
  let ledger: KeyLedger

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch([String: Any].self, "an object") }
    return KeyedDecodingContainer(ValueObject<Key>(members, self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([Any].self, "an array") }
    return ValueArray(elements: elements, decoder: self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  func below(_ value: FlowDocument.Value, _ key: any CodingKey) -> ValueDecoder {
    ValueDecoder(value: value, codingPath: codingPath + [key], ledger: ledger)
  }
}

extension ValueDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool {
    if case .null = value { true } else { false }
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    // In two steps, because a single cast would take the `nil` of `plain` for the `nil` of an optional type.
    if let plain = try plain(type), let value = plain as? T { return value }
    return try T(from: self)
  }

  /// Decodes the types that do not decode themselves from a JSON value; returns `nil` for all others.
  private func plain(_ type: any Decodable.Type) throws -> (any Decodable)? {
    switch type {
    case is Bool.Type:
      guard case .bool(let value) = value else { throw mismatch(type, "a boolean") }
      return value
    case is String.Type: return try text(type)
    case is Double.Type: return try number(type)
    case is Float.Type: return Float(try number(type))
    case let type as any (FixedWidthInteger & Decodable).Type: return try integer(type)
    case is URL.Type:
      guard let url = URL(string: try text(type)) else { throw corrupted("expected a URL") }
      return url
    case is Date.Type:
      guard let date = try? Date(try text(type), strategy: .iso8601) else {
        throw corrupted("expected a date and time in ISO 8601, such as '2026-01-31T12:00:00Z'")
      }
      return date
    case is Data.Type:
      guard let data = Data(base64Encoded: try text(type)) else { throw corrupted("expected base64") }
      return data
    default: return nil
    }
  }

  private func text(_ type: any Decodable.Type) throws -> String {
    guard case .string(let text) = value else { throw mismatch(type, "a string") }
    return text
  }

  private func number(_ type: any Decodable.Type) throws -> Double {
    switch value {
    case .integer(let number): return Double(number)
    case .number(let number): return number
    default: throw mismatch(type, "a number")
    }
  }

  private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    let exact: Number?
    switch value {
    case .integer(let number): exact = Number(exactly: number)
    case .number(let number): exact = Number(exactly: number)
    default: throw mismatch(type, "a whole number")
    }
    guard let exact else { throw corrupted("the number does not fit into \(type)") }
    return exact
  }

  private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
    let found =
      switch value {
      case .null: "null"
      case .bool: "a boolean"
      case .integer, .number: "a number"
      case .string: "a string"
      case .array: "an array"
      case .object: "an object"
      }
    return .typeMismatch(
      type, DecodingError.Context(codingPath: codingPath, debugDescription: "expected \(expected), found \(found)"))
  }

  private func corrupted(_ message: String) -> DecodingError {
    .dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: message))
  }
}
