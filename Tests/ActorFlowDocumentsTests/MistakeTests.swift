import ActorFlow
import ActorFlowDocuments
import Testing

@Suite("What mistakes say") struct MistakeTests {
  @Test("a loop with nothing to repeat is refused, in a text with its place, and in code")
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
}
