import ActorFlow
import ActorFlowDocuments
import Testing

@Suite("Messages of mistakes") struct MistakeTests {
  @Test("a loop without a body is refused, in a text with its position, and in code")
  func emptyLoop() throws {
    let catalog = try shop()
    let text = """
      {"version": 1, "flow": [
        {"step": "shipping"},
        {"loop": [], "while": "short", "as": "again"}
      ]}
      """
    let read = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(json: text, input: Cart.self, output: Order.self)
    }
    #expect(
      read.map(\.description) == ["line 3, column 12, $.flow[1].loop: a loop needs at least one entry to repeat"])
    let entries = [FlowDocument.Entry(.step("shipping")), FlowDocument.Entry(.loop([], while: "short"), as: "again")]
    let built = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(from: FlowDocument(entries: entries), input: Cart.self, output: Order.self)
    }
    #expect(built.map(\.path) == ["$.flow[1].loop"] && built.map(\.step) == ["again"])
    #expect(built.map(\.message) == read.map(\.message))
  }

  @Test("an unknown version is refused with the expected number, not with a range")
  func version() {
    for version in ["2", "1.5"] {
      let found = mistakes { () throws(FlowDocumentError) in
        try FlowDocument(json: "{\"version\": \(version), \"flow\": []}")
      }
      #expect(found.map(\.description) == ["line 1, column 13, $.version: expected the number 1"])
    }
    let retry = mistakes { () throws(FlowDocumentError) in
      try FlowDocument(json: "{\"version\": 1, \"flow\": [{\"step\": \"a\", \"retry\": {\"attempts\": 0}}]}")
    }
    #expect(retry.map(\.message) == ["expected a whole number from 1 to 1000"])
  }

  @Test("counts agree in number: one branch, two branches, one element")
  func counts() throws {
    var catalog = try shop()
    try catalog.registerJoin("same") { (quote: Quote) in quote }
    func told(_ branches: Int, _ join: String) throws -> [String] {
      let entries = Array(repeating: FlowDocument.Entry(.step("ask-price")), count: branches)
      let flow = [FlowDocument.Entry(.step("shipping")), FlowDocument.Entry(.parallel(entries, join: join))]
      return mistakes { () throws(FlowDocumentError) in
        try catalog.flow(from: FlowDocument(entries: flow), input: Cart.self, output: Void.self)
      }
      .filter { $0.path == "$.flow[1].join" }.map(\.message)
    }
    #expect(try told(1, "offer") == ["'offer' joins 2 results, but gets those of 1 branch"])
    #expect(try told(2, "same") == ["'same' joins 1 result, but gets those of 2 branches"])
    try catalog.register("point", options: Point.self) { _ in Step("point") { () in Order(item: "") } }
    let short = FlowDocument(entries: [FlowDocument.Entry(.step("point", options: ["at": [1]]))])
    let found = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(from: short, input: Void.self, output: Order.self)
    }
    #expect(found.map(\.message) == ["the array has only 1 element"])
  }

  /// Decodes two numbers from an array.
  private struct Point: Decodable, Sendable {
    init(from decoder: any Decoder) throws {
      var array = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .at)
      for _ in 1...2 { _ = try array.decode(Int.self) }
    }
    enum Key: String, CodingKey { case at }
  }
}
