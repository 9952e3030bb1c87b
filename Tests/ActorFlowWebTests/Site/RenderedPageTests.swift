import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Testing

/// A basket that is filled on one page.
struct BasketStep: RenderedStep {
  enum Change: Codable, Sendable, Equatable { case add(String), pay }
  struct Content: Prompt, Codable {
    typealias Answer = Change
    static let promptName = "test.basket"
    var items: [String]

    func validate(_ change: Change) throws {
      if change == .pay, items.isEmpty { throw Refusal.invalid("The basket is empty.", field: "item") }
    }
  }

  func makeState() -> [String] { [] }
  func apply(_ change: Change, to items: inout [String]) -> [String]? {
    switch change {
    case .add(let item): items.append(item)
    case .pay: return items
    }
    return nil
  }
  func render(_ items: [String], in scope: inout RenderScope<BasketStep>) -> Content { Content(items: items) }
}

@Suite("Pages of rendered steps", .timeLimit(.minutes(15))) struct RenderedPageTests {
  private let site: FlowSite

  init() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let baskets = try await host.register(Flow<Void, [String]>("basket") { Step("basket") { BasketStep() } })
    var site = FlowSite(host: host, title: "Basket", authenticate: { _ in nil }, allow: { _, _, _ in })
    try site.serve(baskets, finished: { "<p>\($0.joined(separator: ", "))</p>" })
    try site.form(
      BasketStep.Content.self, title: { "\($0.items.count) in the basket" },
      facts: { $0.items.map { ("Item", $0) } }, fields: [FormField("item", optional: true)],
      buttons: [("add", "Add"), ("pay", "Pay")]
    ) { button, values in
      guard button == "add" else { return .pay }
      guard let item = values["item"] else { throw Refusal.invalid("Which one?", field: "item") }
      return .add(item)
    }
    self.site = site
  }

  private func send(_ method: String, _ target: String, _ values: [(String, String)] = []) async -> WebResponse {
    let headers: WebHeaders = ["Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"]
    return await site.respond(
      to: WebRequest(method: method, target: target, headers: headers, body: Array(TestSite.form(values).utf8)))
  }

  @Test("each action of a rendered step is a button, and the page shows its new state")
  func basket() async throws {
    let path = try #require(await send("POST", "/flows/basket").headers["Location"])
    for (count, item) in ["tea", "<b>milk"].enumerated() {
      let page = await send("GET", path)
      #expect(page.text.contains("\(count) in the basket"))
      let fields = page.questionFields
      let action = try #require(page.action)
      #expect(await send("POST", action, fields + [("_button", "add"), ("item", item)]).status == 303)
      // The same form sent again adds nothing, and an older one is refused with the page as it is now.
      #expect(await send("POST", action, fields + [("_button", "add"), ("item", item)]).status == 303)
      let stale = await send(
        "POST", action, fields.filter { $0.0 != "_key" } + [("_button", "add"), ("item", "butter")])
      #expect(stale.status == 409 && stale.text.contains("\(count + 1) in the basket"))
    }
    let page = await send("GET", path)
    #expect(page.text.contains("<dd>tea</dd>") && page.text.contains("<dd>&lt;b&gt;milk</dd>"))
    #expect(await send("POST", try #require(page.action), page.questionFields + [("_button", "pay")]).status == 303)
    #expect(await send("GET", path).text.contains("<p>tea, &lt;b&gt;milk</p>"))
  }

  @Test("an action that the rendering refuses comes back with its error")
  func refused() async throws {
    let path = try #require(await send("POST", "/flows/basket").headers["Location"])
    let page = await send("GET", path)
    let action = try #require(page.action)
    let empty = await send("POST", action, page.questionFields + [("_button", "pay")])
    #expect(empty.status == 422 && empty.text.contains("The basket is empty."))
    let nothing = await send("POST", action, page.questionFields + [("_button", "add")])
    #expect(nothing.status == 422 && nothing.text.contains("Which one?"))
  }
}
