import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Testing

// The code in the doc comments of this module, compiled and run.

struct Ballot: Codable, Sendable, Equatable {
  var isApproved: Bool
  var comment: String
}

struct BallotForm: Prompt, Codable {
  typealias Answer = Ballot
  var purpose: String
}

enum Opinion: String, Codable, Sendable, CaseIterable { case good, bad }

enum Rating: ReadableCases { case poor, fair, excellent }

struct ReviewForm: Prompt, Codable {
  struct Answer: Codable, Sendable { var verdict: Opinion }
  var text: String
}

struct Wish: Codable, Sendable {
  var item: String
}

struct PricedCart: Codable, Sendable, Equatable {
  var item: String
  var cents: Int
}

struct PriceList: Sendable {
  func cart(of wish: Wish) throws -> PricedCart {
    guard wish.item == "teapot" else { throw Refusal.invalid("We have no \(wish.item).", field: "item") }
    return PricedCart(item: wish.item, cents: 4_200)
  }
}

@Suite("The code in the doc comments", .timeLimit(.minutes(15))) struct SiteSnippets {
  @Test("a checkout is started by a wish, whose price the service knows, and voted on with buttons")
  func checkout() async throws {
    let catalog = PriceList()
    let host = FlowHost(store: MemoryFlowStore())
    let checkout = Flow("checkout") {
      Step("vote") { (cart: PricedCart, context: StepContext) in
        _ = try await context.ask(BallotForm(purpose: cart.item))
        return try await context.ask(ReviewForm(text: cart.item)).verdict
      }
    }
    let checkouts = try await host.register(checkout)
    var site = FlowSite(host: host, title: "Shop", authenticate: { _ in nil }, allow: { _, _, _ in })
    try site.serve(checkouts, title: "Checkout", startedBy: Wish.self) { wish, who in try catalog.cart(of: wish) }
    try site.form(
      BallotForm.self, title: { "Shall we pay \($0.purpose)?" },
      fields: [FormField("comment", .multiline, optional: true)],
      buttons: [("approve", "Approve"), ("reject", "Reject")]
    ) { button, values in Ballot(isApproved: button == "approve", comment: values["comment"] ?? "") }
    try site.page(ReviewForm.self, title: { _ in "Review" }) { prompt, form in
      form.form("<pre>\(prompt.text)</pre>\(form.errors)\(form.buttons)")
    }
    func post(_ target: String, _ values: [(String, String)]) async -> WebResponse {
      await site.respond(
        to: WebRequest(
          method: "POST", target: target, headers: ["Content-Type": "application/x-www-form-urlencoded"],
          body: Array(TestSite.form(values).utf8)))
    }
    let refused = await post("/flows/checkout", [("item", "kettle")])
    #expect(refused.status == 422 && refused.text.contains("We have no kettle."))
    let path = try #require(await post("/flows/checkout", [("item", "teapot")]).headers["Location"])
    let vote = await site.respond(to: WebRequest(method: "GET", target: path))
    #expect(vote.text.contains("Shall we pay teapot?") && vote.text.contains("value=\"reject\">Reject</button>"))
    #expect(await post(try #require(vote.action), vote.questionFields + [("_button", "approve")]).status == 303)
    let review = await site.respond(to: WebRequest(method: "GET", target: path))
    #expect(review.text.contains("<pre>teapot</pre>"))
    #expect(await post(try #require(review.action), review.questionFields + [("verdict", "good")]).status == 303)
    #expect(await site.respond(to: WebRequest(method: "GET", target: path)).text.contains("Done."))
  }

  @Test("a piece of HTML, and the texts of another language")
  func values() {
    let order = (title: "\"a\"", customer: "<b>")
    let greeting: HTML = "<p title=\"\(order.title)\">Hello \(order.customer)</p>"
    #expect(greeting.markup == "<p title=\"&quot;a&quot;\">Hello &lt;b&gt;</p>")
    var french = Texts.english
    french.language = "fr"
    french.send = "Envoyer"
    #expect(french.send == "Envoyer" && french.language == "fr")
  }

  @Test("a flow keeps the span of the service")
  func trace() async throws {
    struct Tracer: Sendable {
      func context() -> TraceContext { ["span": "7"] }
    }
    let tracer = Tracer()
    var shop = try await TestSite()
    func configure(_ site: inout FlowSite) {
      site.trace = { _ in tracer.context() }
    }
    configure(&shop.site)
    let id = try await shop.started()
    #expect(try await shop.host.flow(FlowID(id)).view().trace == ["span": "7"])
  }

  @Test("the adapter sends a page at once, and the events of a flow as they come")
  func adapter() async throws {
    actor Writer: ServerWriter {
      var status = 0
      var bytes: [UInt8] = []
      func begin(_ status: Int, _ headers: [(name: String, value: String)]) { self.status = status }
      func write(_ bytes: [UInt8]) { self.bytes += bytes }
      var text: String { String(decoding: bytes, as: UTF8.self) }
    }
    let site = try await TestSite()
    let id = try await site.started()
    _ = try await site.host.flow(FlowID(id)).abandon()
    for (target, text) in [("/flows/\(id)", "<h1>Your order</h1>"), ("/flows/\(id)/events", "event: end")] {
      let writer = Writer()
      let request = ServerRequest(method: "GET", uri: target, headers: [("Cookie", "session=ann")], body: { _ in [] })
      try await handle(request, writer, with: site.site)
      #expect(await writer.status == 200)
      #expect(await writer.text.contains(text))
    }
  }
}
