import ActorFlowDocuments
import Foundation
import Testing

@Suite("Reading a document") struct ReadingTests {
  @Test("a document is read as the tree it would be in code")
  func tree() throws {
    let document = try FlowDocument(json: everything)
    #expect(document.name == "checkout")
    #expect(document.schema == "flow-document.schema.json")
    var address = FlowDocument.Entry(.step("shipping"), as: "address")
    address.onBackUp = "returnable"
    address.presentation = "modal"
    #expect(document.entries[0] == address)
    #expect(
      document.entries[2]
        == FlowDocument.Entry(
          .switch(
            [
              FlowDocument.Way("isGuest", as: "guest", do: [FlowDocument.Entry(.step("guest-order"))]),
              FlowDocument.Way("isMember", do: [FlowDocument.Entry(.step("member-order"))]),
            ], otherwise: [])))
    var payment = FlowDocument.Entry(
      .step(
        "payment",
        options: ["amount": 42, "currency": "€ é😀", "lines": [["text": "a", "width": 3]]]))
    payment.retry = FlowDocument.Retry(attempts: 3, pause: 0.1, factor: 2, longestPause: 60)
    payment.expiresAfterIdle = 7_200
    #expect(document.entries[5] == payment)
    #expect(document.entries[4].timeout == 2.5)
    #expect(document.entries[1].kind != document.entries[3].kind)
  }

  @Test("a written document is read back as the same document")
  func roundTrip() throws {
    let document = try FlowDocument(json: everything)
    let written = try JSONEncoder().encode(document)
    #expect(try FlowDocument(json: written) == document)
    #expect(try JSONDecoder().decode(FlowDocument.self, from: written) == document)
    #expect(try FlowDocument(json: written).hashValue == document.hashValue)
    let numbers: [FlowDocument.Value] = [1.0, 1, 0.1, -0.0, 1e20, .integer(.max), .integer(.min), 1e-7, 123_456.789]
    for number in numbers {
      var document = FlowDocument(entries: [FlowDocument.Entry(.step("a", options: ["n": number]))])
      document.name = "n"
      #expect(try FlowDocument(json: try JSONEncoder().encode(document)) == document, "\(number)")
    }
  }

  @Test("all mistakes of a document are reported at once, each with line, column and path")
  func collected() {
    let found = mistakes { () throws(FlowDocumentError) in
      try FlowDocument(
        json: """
          {
            "version": 2,
            "flow": [
              {"stepp": "a"},
              {"step": "a", "option": {}},
              {"step": 7},
              {"step": "b", "retry": {"attempts": 0, "pausse": 1}, "timeout": -1},
              {"loop": []},
              {"step": "a", "race": []},
              {"switch": [{"case": "é", "do": [], "doo": 1}], "as": ""},
              [],
              {"step": "x", "onFailure": "parc", "step": "y"}
            ],
            "flwo": []
          }
          """)
    }
    #expect(
      found.map { "\($0.line ?? 0):\($0.column ?? 0) \($0.path) \($0.code) \($0.suggestion ?? "-")" } == [
        "12:40 $.flow[8].step duplicateKey -",
        "14:3 $.flwo unknownKey flow",
        "2:14 $.version badValue -",
        "4:6 $.flow[0].stepp unknownKey step",
        "4:5 $.flow[0] missingKey -",
        "5:19 $.flow[1].option unknownKey options",
        "6:14 $.flow[2].step wrongKind -",
        "7:44 $.flow[3].retry.pausse unknownKey pause",
        "7:41 $.flow[3].retry.attempts badValue -",
        "7:69 $.flow[3].timeout badValue -",
        "8:14 $.flow[4].loop badValue -",
        "8:5 $.flow[4] missingKey -",
        "9:5 $.flow[5] badValue -",
        "10:41 $.flow[6].switch[0].doo unknownKey do",
        "10:59 $.flow[6].as badValue -",
        "11:5 $.flow[7] wrongKind -",
        "12:32 $.flow[8].onFailure unknownName park",
      ])
  }

  @Test(
    "invalid JSON is refused with its position",
    arguments: [
      ("", "1:1 $"), ("{", "1:2 $"), ("{\"flow\":[\n  {\"step\": tru}]}", "2:15 $.flow[0].step"),
      ("[1,]", "1:4 $[1]"), ("[01]", "1:2 $[0]"), ("[1.]", "1:4 $[0]"), ("[\"\u{1}\"]", "1:3 $[0]"),
      ("[\"\\ud800\"]", "1:9 $[0]"), ("[\"\\x\"]", "1:4 $[0]"), ("{} {}", "1:4 $"), ("{a: 1}", "1:2 $"),
      ("{\"a\" 1}", "1:6 $.a"), ("[-]", "1:3 $[0]"), ("[1 2]", "1:4 $"), ("nul", "1:4 $"), ("\"a", "1:3 $"),
    ])
  func malformed(text: String, place: String) {
    let found = mistakes { () throws(FlowDocumentError) in try FlowDocument(json: text) }
    #expect(found.count == 1)
    #expect(found.first?.code == .malformed)
    #expect(found.first.map { "\($0.line ?? 0):\($0.column ?? 0) \($0.path)" } == place)
  }

  @Test("a number that no Double holds, and bytes that are not UTF-8, are mistakes with a position")
  func unreadable() {
    let number = mistakes { () throws(FlowDocumentError) in
      try FlowDocument(json: "{\"version\": 1, \"flow\": [{\"step\": \"a\", \"timeout\": 1e999}]}")
    }
    #expect(number.map(\.path) == ["$.flow[0].timeout"])
    let bytes = mistakes { () throws(FlowDocumentError) in try FlowDocument(json: [0x22, 0xFF, 0x22]) }
    #expect(bytes.map(\.message) == ["the string is not UTF-8"])
  }

  @Test("size, number of values and depth are limited, by default to 1 MiB, 10,000 values and 64 levels")
  func caps() throws {
    #expect(FlowDocument.Limits.default == FlowDocument.Limits(bytes: 1_048_576, nodes: 10_000, depth: 64))
    func codes(_ text: String, _ limits: FlowDocument.Limits = .default) -> [FlowDocumentError.Mistake.Code] {
      mistakes { () throws(FlowDocumentError) in try FlowDocument(json: text, limits: limits) }.map(\.code)
    }
    func nested(_ count: Int) -> String {
      let open = String(repeating: "{\"flow\":[", count: count)
      return "{\"version\": 1, \"flow\": [" + open + String(repeating: "]}", count: count) + "]}"
    }
    #expect(codes(nested(31)) == [])
    #expect(codes(nested(32)) == [.tooLarge])
    #expect(codes(nested(50_000)) == [.tooLarge])
    #expect(codes(nested(50_000), FlowDocument.Limits(depth: .max)) == [.tooLarge])
    #expect(codes(nested(63), FlowDocument.Limits(depth: .max)) == [])
    let space = String(repeating: " ", count: 1 << 20)
    #expect(codes(nested(0) + space) == [.tooLarge])
    #expect(codes(space.dropLast(nested(0).utf8.count) + nested(0)) == [])
    func steps(_ count: Int) -> String {
      "{\"version\": 1, \"flow\": ["
        + String(repeating: "{\"step\": \"a\"},", count: count) + "{\"flow\": []}]}"
    }
    #expect(codes(steps(4_997)) == [])  // 3 + 2 for each step + 2
    #expect(codes(steps(4_998)) == [.tooLarge])
    #expect(throws: FlowDocumentError.self) {
      try JSONDecoder().decode(FlowDocument.self, from: Data(nested(32).utf8))
    }
    #expect(throws: FlowDocumentError.self) {
      try JSONDecoder().decode(FlowDocument.self, from: Data(steps(4_998).utf8))
    }
  }

  @Test("a thousand mistakes are reported, further ones are counted")
  func omitted() {
    let text = "{\"version\": 1, \"flow\": [" + String(repeating: "0,", count: 1_499) + "0]}"
    do {
      _ = try FlowDocument(json: text)
      Issue.record("it was accepted")
    } catch {
      #expect(error.mistakes.count == 1_000)
      #expect(error.omitted == 500)
      #expect(error.description.hasPrefix("the document has 1500 mistakes:\n  line 1, column 25, $.flow[0]: expected"))
    }
  }

  @Test("text of a hostile document is quoted on one line, and cut")
  func quoted() {
    let name = String(repeating: "x", count: 5_000)
    let found = mistakes { () throws(FlowDocumentError) in
      try FlowDocument(json: "{\"version\": 1, \"flow\": [], \"\(name)\": 1, \"a\\n'\": 2}")
    }
    #expect(found.allSatisfy { $0.description.count < 250 && !$0.description.contains("\n") })
    #expect(found.last?.path == "$['a\\n\\'']")
  }
}
