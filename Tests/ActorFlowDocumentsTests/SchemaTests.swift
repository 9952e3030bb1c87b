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
    #expect(schema["$defs", "parts", "maxItems"] == .integer(DocumentKeys.mostParts))
    for (key, range) in [("attempts", DocumentKeys.attempts), ("factor", DocumentKeys.factor)] {
      let number = schema["$defs", "retry", "properties", key]
      #expect(number["minimum"] == .integer(range.lowerBound))
      #expect(number["maximum"] == .integer(range.upperBound))
    }
  }

  @Test("an array that the schema requires to be nonempty is refused when it is empty, and no other array is")
  func emptiness() {
    let others = ["forEach": "\"x\"", "do": "[{\"step\": \"x\"}]", "hub": "{\"step\": \"x\"}"]
    for (key, required, _) in DocumentKeys.kinds {
      for empty in [key] + required {
        var array = schema["$defs", key, "properties", empty]
        if case .string(let reference) = array["$ref"], let name = reference.split(separator: "/").last {
          array = schema["$defs", String(name)]
        }
        guard array["type"] == "array" else { continue }
        let members = ([key] + required).map { member in
          let entries = "[{\"step\": \"x\"}]"
          let value = member == "cases" ? "[{\"case\": \"x\", \"do\": []}]" : member == key ? entries : "\"x\""
          return "\"\(member)\": \(member == empty ? "[]" : others[member] ?? value)"
        }
        let told = mistakes { () throws(FlowDocumentError) in
          try FlowDocument(json: "{\"version\": 1, \"flow\": [{\(members.joined(separator: ", "))}]}")
        }
        #expect(told.map(\.path) == (array["minItems"] == 1 ? ["$.flow[0].\(empty)"] : []), "\(empty) of \(key)")
      }
    }
  }

  @Test("each key of each kind of entry is read: with it the document is a different one, or refused")
  func read() throws {
    let values: [String: String] = [
      "as": "\"x\"", "passingThrough": "true", "map": "\"m\"", "carrying": "\"c\"", "recover": "\"r\"",
      "onBackUp": "\"oneWay\"", "onFailure": "\"park\"", "presentation": "\"push\"",
      "retry": "{\"attempts\": 2}", "timeout": "1", "expiresAfterIdle": "1", "options": "{\"a\": 1}",
      "otherwise": "[]", "while": "\"w\"", "join": "\"j\"", "step": "\"s\"", "flow": "[]",
      "loop": "[{\"step\": \"s\"}]", "forEach": "\"e\"", "do": "[{\"step\": \"s\"}]", "until": "\"u\"",
      "hub": "{\"step\": \"m\"}", "cases": "[{\"case\": \"c\", \"do\": []}]", "done": "\"d\"",
      "typeRouter": "[{\"step\": \"s\"}]", "end": "\"t\"",
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
