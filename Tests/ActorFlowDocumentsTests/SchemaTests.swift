import ActorFlowDocuments
import Foundation
import Testing

@Suite("The JSON Schema") struct SchemaTests {
  private let schema: FlowDocument.Value

  init() throws {
    schema = try JSONDecoder().decode(
      FlowDocument.Value.self, from: Data(contentsOf: catalogue("Resources/flow-document.schema.json")))
  }

  @Test("every object of the schema has exactly the keys that the code reads")
  func keys() {
    #expect(schema["properties"].keys == DocumentKeys.document.sorted())
    #expect(schema["required"].strings == ["version", "flow"])
    #expect(schema["$defs", "around", "properties"].keys == DocumentKeys.around.sorted())
    #expect(schema["$defs", "way", "properties"].keys == DocumentKeys.way.sorted())
    #expect(schema["$defs", "retry", "properties"].keys == DocumentKeys.retry.sorted())
    for (key, required, optional) in DocumentKeys.kinds {
      let kind = schema["$defs", key]
      #expect(kind["properties"].keys == ([key] + required + optional).sorted())
      #expect(kind["required"].strings == [key] + required)
      #expect(kind["unevaluatedProperties"] == false)
    }
    let kinds = DocumentKeys.kinds.map { FlowDocument.Value.object(["$ref": .string("#/$defs/\($0.key)")]) }
    #expect(schema["$defs", "entry", "oneOf"] == .array(kinds))
  }

  @Test("the schema's words and ranges are those of the code")
  func values() {
    let around = schema["$defs", "around", "properties"]
    #expect(around["onFailure", "enum"].strings.sorted() == DocumentKeys.failurePolicies.keys.sorted())
    #expect(around["onBackUp", "examples"].strings.sorted() == DocumentKeys.backUpPolicies.keys.sorted())
    #expect(around["presentation", "examples"].strings.sorted() == DocumentKeys.presentations.keys.sorted())
    #expect(schema["properties", "version", "const"] == .integer(FlowDocument.version))
    #expect(schema["$defs", "seconds", "maximum"] == .number(DocumentKeys.longestSeconds))
    for (key, range) in [("attempts", DocumentKeys.attempts), ("factor", DocumentKeys.factor)] {
      let number = schema["$defs", "retry", "properties", key]
      #expect(number["minimum"] == .integer(range.lowerBound))
      #expect(number["maximum"] == .integer(range.upperBound))
    }
  }

  @Test("an array that the schema requires to be nonempty is refused when it is empty, and no other array is")
  func emptiness() {
    for (key, required, _) in DocumentKeys.kinds where key != "step" {
      let members = ["\"\(key)\": []"] + required.map { "\"\($0)\": \"x\"" }
      let told = mistakes { () throws(FlowDocumentError) in
        try FlowDocument(json: "{\"version\": 1, \"flow\": [{\(members.joined(separator: ", "))}]}")
      }
      var array = schema["$defs", key, "properties", key]
      if case .string(let reference) = array["$ref"], let name = reference.split(separator: "/").last {
        array = schema["$defs", String(name)]
      }
      #expect(array["type"] == "array", "\(key)")
      #expect(told.map(\.path) == (array["minItems"] == 1 ? ["$.flow[0].\(key)"] : []), "\(key)")
    }
  }

  @Test("each key of each kind of entry is read: with it the document is a different one, or refused")
  func read() throws {
    let values: [String: String] = [
      "as": "\"x\"", "onBackUp": "\"oneWay\"", "onFailure": "\"park\"", "presentation": "\"push\"",
      "retry": "{\"attempts\": 2}", "timeout": "1", "expiresAfterIdle": "1", "options": "{\"a\": 1}",
      "otherwise": "[]", "while": "\"w\"", "join": "\"j\"", "step": "\"s\"", "flow": "[]",
      "loop": "[{\"step\": \"s\"}]",
      "parallel": "[{\"step\": \"s\"}]", "race": "[{\"step\": \"s\"}]", "switch": "[{\"case\": \"c\", \"do\": []}]",
    ]
    func document(_ keys: [String]) throws -> FlowDocument {
      let members = keys.map { "\"\($0)\": \(values[$0] ?? "null")" }.joined(separator: ", ")
      return try FlowDocument(json: "{\"version\": 1, \"flow\": [{\(members)}]}")
    }
    for (key, required, optional) in DocumentKeys.kinds {
      let bare = try document([key] + required)
      for more in optional + DocumentKeys.around {
        #expect(try document([key] + required + [more]) != bare, "\(more) of \(key)")
      }
      for missing in required {
        #expect(throws: FlowDocumentError.self) { try document([key] + required.filter { $0 != missing }) }
      }
    }
  }
}

extension FlowDocument.Value {
  /// The value under these keys, one inside the other; null if there is none.
  fileprivate subscript(keys: String...) -> FlowDocument.Value {
    keys.reduce(self) { value, key in
      guard case .object(let members) = value else { return .null }
      return members[key] ?? .null
    }
  }

  fileprivate var keys: [String] {
    guard case .object(let members) = self else { return [] }
    return members.keys.sorted()
  }

  fileprivate var strings: [String] {
    guard case .array(let elements) = self else { return [] }
    return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }
}
