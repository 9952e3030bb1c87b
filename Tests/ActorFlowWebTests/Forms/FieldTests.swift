import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Foundation
import Testing

struct Booking: Codable, Sendable {
  var people: Int
  var price: Double
  var day: Date
  var at: Date
  var size: Size
}

struct BookingForm: Prompt, Codable {
  typealias Answer = Booking
  static let promptName = "test.booking"

  func validate(_ booking: Booking) throws {
    if booking.people > 9 { throw Refusal.invalid("No table is that large.") }
  }
}

@Suite("Fields of forms", .timeLimit(.minutes(15))) struct FieldTests {
  private static let filled = [
    ("people", "2"), ("price", "9.50"), ("day", "2026-05-04"), ("at", "2026-05-04T10:30"), ("size", "3"),
  ]

  private func site<P: Prompt & Codable>(
    _ prompt: P, _ configure: (inout FlowSite) throws -> Void
  ) async throws -> FlowSite where P.Answer: Codable {
    let host = FlowHost(store: MemoryFlowStore())
    let flow = Flow<String, P.Answer>("ask") {
      Step("ask") { (_: String, context: StepContext) in try await context.ask(prompt) }
    }
    let asks = try await host.register(flow)
    var site = FlowSite(host: host, title: "Test", authenticate: { _ in nil }, allow: { _, _, _ in })
    try site.serve(withoutStarting: asks)
    try configure(&site)
    try await asks.start(id: "one", with: "")
    _ = try await host.flow("one").settled()
    return site
  }

  private func booking() async throws -> FlowSite {
    try await site(BookingForm()) {
      try $0.form(
        BookingForm.self, title: { _ in "Book" },
        fields: [FormField("day", .day), FormField("size", .choice, help: "Of the table")])
    }
  }

  private func get(_ site: FlowSite, _ language: String = "en") async -> WebResponse {
    await site.respond(to: WebRequest(method: "GET", target: "/flows/one", headers: ["Accept-Language": language]))
  }

  private func post(_ site: FlowSite, _ values: [(String, String)], _ language: String = "en") async -> WebResponse {
    let page = await get(site)
    return await site.respond(
      to: WebRequest(
        method: "POST", target: "/flows/one/questions/1",
        headers: ["Content-Type": "application/x-www-form-urlencoded", "Accept-Language": language],
        body: Array(TestSite.form(page.questionFields + values).utf8)))
  }

  @Test(
    "the message of a field says what its value has to be",
    arguments: [
      ("people", "1.5", "This needs a whole number, such as 12."), ("people", "--1", "This needs a whole number"),
      ("people", "99999999999999999999", "This number is too large or too small."),
      ("price", "9,50", "This needs a number, such as 12.5."), ("price", "1e999", "This needs a number"),
      ("day", "2026-05-04T10:30", "This needs a day, such as 2026-05-31."), ("day", "2026-05-32", "This needs a day"),
      ("day", "2026-02-30", "This needs a day"),
      ("at", "soon", "This needs a day and a time"), ("at", "2026-02-30T10:30", "This needs a day and a time"),
      ("size", "2", "This value cannot be taken."),
    ])
  func messages(field: String, value: String, message: String) async throws {
    let refused = await post(try await booking(), Self.filled.filter { $0.0 != field } + [(field, value)])
    #expect(refused.status == 422)
    #expect(refused.text.contains("id=\"q1-\(field)-error\">\(message)"))
  }

  @Test("the messages are in the language of the page, and right values are taken")
  func german() async throws {
    let site = try await booking()
    let refused = await post(site, [("people", "1,5")] + Self.filled.dropFirst(), "de")
    #expect(refused.text.contains("Hier wird eine ganze Zahl gebraucht"))
    #expect(await post(site, Self.filled).status == 303)
  }

  @Test("a list of choices and a row of buttons are read with their help and their error")
  func described() async throws {
    let page = await get(try await booking())
    #expect(page.text.contains("<select name=\"size\" id=\"q1-size\" required aria-describedby=\"q1-size-help\">"))
    let rating = try await site(RatingForm(last: .poor)) {
      try $0.form(
        RatingForm.self, title: { _ in "Rate" },
        fields: [FormField("answer", .buttons, label: "Stars", help: "Honestly")])
    }
    #expect(await get(rating).text.contains("<legend>Stars</legend>"))
    let refused = await post(rating, [("answer", "none")])
    #expect(refused.text.contains("aria-describedby=\"q1-answer-help q1-answer-error\""))
    #expect(refused.text.contains("id=\"q1-answer-help\">Honestly</span>"))
  }

  @Test("buttons are a group with a name, which gets the focus when none was pressed")
  func groups() async throws {
    let rating = try await site(RatingForm(last: .poor)) { try $0.form(RatingForm.self, title: { _ in "Rate" }) }
    let page = await get(rating, "de")
    #expect(
      page.text.contains("<fieldset id=\"q1-answer\" tabindex=\"-1\">\n<legend class=\"spoken\">Ihre Antwort</legend>"))
    let refused = await post(rating, [])
    #expect(
      refused.text.contains(
        "<fieldset id=\"q1-answer\" tabindex=\"-1\" aria-describedby=\"q1-answer-error\" autofocus>"))
    #expect(refused.text.contains("<a href=\"#q1-answer\">Your answer: This field is needed.</a>"))
    #expect(refused.text.ranges(of: " autofocus").count == 1)
  }

  @Test("a problem of no field has the focus itself")
  func focus() async throws {
    let refused = await post(try await booking(), [("people", "10")] + Self.filled.dropFirst())
    #expect(refused.status == 422 && refused.text.contains("<li>No table is that large.</li>"))
    #expect(refused.text.contains("<div class=\"errors\" role=\"alert\" tabindex=\"-1\" autofocus>"))
    #expect(refused.text.ranges(of: " autofocus").count == 1)
  }

  @Test("a field of the browser or of a layer in front refuses no form", arguments: ["_csrf", "_charset_", "_"])
  func otherField(name: String) async throws {
    let site = try await booking()
    #expect(await post(site, Self.filled + [(name, "utf-8")]).status == 303)
  }

  @Test("a button that the form does not have answers nothing")
  func otherButton() async throws {
    let site = try await booking()
    let refused = await post(site, Self.filled + [("_button", "words")])
    #expect(refused.status == 422 && refused.text.contains("value=\"9.50\""))
    #expect(try await site.isOpen)
    #expect(await post(site, Self.filled).status == 303)
  }
}

extension FlowSite {
  /// Whether the flow `one` has an open question.
  fileprivate var isOpen: Bool {
    get async throws {
      let reply = try Reply(
        await respond(to: WebRequest(method: "GET", target: "/flows/one", headers: ["Accept": "application/json"])))
      return reply["questions.0.question"] != nil
    }
  }
}
