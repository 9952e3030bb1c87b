#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Lists and labels as JSON, which people and functions of databases read.
package enum JSONText {
  package static func encode(_ texts: [String]) throws -> String {
    texts.isEmpty ? "[]" : try encode(value: texts)
  }

  package static func encode(_ labels: [String: String]) throws -> String {
    labels.isEmpty ? "{}" : try encode(value: labels)
  }

  package static func texts(_ json: String) throws -> [String] {
    json == "[]" ? [] : try decode([String].self, from: json)
  }

  package static func labels(_ json: String) throws -> [String: String] {
    json == "{}" ? [:] : try decode([String: String].self, from: json)
  }

  private static func encode(value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private static func decode<Value: Decodable>(_ type: Value.Type, from json: String) throws -> Value {
    do { return try JSONDecoder().decode(type, from: Data(json.utf8)) } catch {
      throw FlowStoreError(.corrupted, "a list of texts in a row cannot be read", underlying: error)
    }
  }
}
