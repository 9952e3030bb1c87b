import ActorFlow
import ActorFlowDocuments
import Testing

@Suite("Paths of a document's steps") struct PathTests {
  @Test("a mistake names its step as the flow would: numbers of equal siblings and of branches included")
  func paths() throws {
    let catalog = try shop()
    func text(_ last: String) -> String {
      """
      {"version": 1, "name": "f", "flow": [
        {"step": "shipping"}, {"step": "gift-wrap"},
        {"race": [{"step": "gift-wrap"}, {"flow": [{"step": "gift-wrap"}, {"step": "\(last)"}]}]}
      ]}
      """
    }
    let flow = try catalog.flow(json: text("gift-wrap"), input: Cart.self, output: Order.self)
    let found = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(json: text("shipping"), input: Cart.self, output: Order.self)
    }
    #expect(flow.steps == ["f/shipping", "f/wrap", "f/race/wrap", "f/race/1/wrap", "f/race/1/wrap#2"])
    #expect(found.map(\.step?.path) == ["f/race/1/shipping"])
    #expect(found.map(\.message) == ["'shipping' takes Cart, but the output of 'gift-wrap' is Order"])
  }

  @Test("a slash in a name adds parts to the path, as in code")
  func slashes() throws {
    let text = """
      {"version": 1, "name": "w", "flow": [
        {"step": "shipping", "as": "z/y"},
        {"flow": [{"step": "gift-wrap", "as": "y"}, {"step": "gift-wrap"}], "as": "z"}
      ]}
      """
    let flow = try shop().flow(json: text, input: Cart.self, output: Order.self)
    #expect(flow.steps == ["w/z/y", "w/z/y#2", "w/z/wrap"])
  }
}
