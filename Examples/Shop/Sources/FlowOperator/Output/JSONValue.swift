import Foundation

/// JSON that the service has sent, with the members that this version of the tool does not know.
enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case text(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// Reads JSON; `nil` if the bytes are none.
  init?(_ bytes: some Sequence<UInt8>) {
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else { return nil }
    self = value
  }

  /// The member of this name; `null` if there is none.
  subscript(_ name: String) -> JSONValue {
    if case .object(let members) = self { members[name] ?? .null } else { .null }
  }

  var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }
  var isTrue: Bool { self == .bool(true) }
  var count: Int? { if case .integer(let count) = self { count } else { nil } }

  /// The text of a text; `nil` for any other value.
  var string: String? { if case .text(let text) = self { text } else { nil } }

  /// The value for people; `nil` for `null`, an empty list or an empty object.
  var text: String? {
    switch self {
    case .null: nil
    case .bool(let flag): "\(flag)"
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .text(let text): text
    case .array(let items): items.isEmpty ? nil : items.compactMap(\.text).joined(separator: ", ")
    case .object(let members):
      members.isEmpty
        ? nil : members.sorted { $0.key < $1.key }.map { "\($0)=\($1.text ?? "")" }.joined(separator: ", ")
    }
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as a line of JSON, its members in the order of their names.
  var description: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = try? encoder.encode(self)  // every number was read from JSON, so none is infinite
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }
}

extension JSONValue: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let number = try? container.decode(Int.self) {
      self = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let items = try? container.decode([JSONValue].self) {
      self = .array(items)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let flag): try container.encode(flag)
    case .integer(let number): try container.encode(number)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .array(let items): try container.encode(items)
    case .object(let members): try container.encode(members)
    }
  }
}
