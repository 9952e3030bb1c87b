import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Foundation
import Testing

enum Size: Int, Codable, CaseIterable, Sendable { case small = 1, extraLarge = 3 }
enum Color: Codable, CaseIterable, Sendable, Equatable { case darkRed, blue }

struct Inner: Codable, Sendable, Equatable {
  var code: Int8
  var note: String?
}

struct Everything: Codable, Sendable, Equatable {
  var text: String
  var yes: Bool
  var whole: UInt16
  var half: Double
  var ratio: Float
  var money: Decimal
  var at: Date
  var link: URL
  var id: UUID
  var size: Size
  var color: Color
  var inner: Inner
  var maybe: Inner?
  var other: Color?
}

struct EverythingForm: Prompt, Codable {
  typealias Answer = Everything
  static let promptName = "test.everything"
}

struct Cautious: Codable, Sendable {
  struct Bad: Error {}
  var mail: String
  init(from decoder: any Decoder) throws {
    mail = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .mail)
    guard mail.contains("@") else { throw Bad() }
  }
}

struct CautiousForm: Prompt, Codable {
  typealias Answer = Cautious
  static let promptName = "test.cautious"
}

struct RatingForm: Prompt, Codable {
  typealias Answer = Rating
  static let promptName = "test.rating"
  var last: Rating
}

struct ListForm: Prompt, Codable {
  typealias Answer = [String]
  static let promptName = "test.list"
}

final class Node: Codable, Sendable {
  let next: Node?
}

struct NodeForm: Prompt, Codable {
  typealias Answer = Node
  static let promptName = "test.node"
}

@Suite("Forms made from types", .timeLimit(.minutes(15))) struct FormTests {
  /// A flow that asks a single question, started, with its site.
  private func asked<P: Prompt & Codable>(
    _ prompt: P, _ configure: (inout FlowSite) throws -> Void
  ) async throws -> (FlowHost, FlowSite) where P.Answer: Codable {
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
    return (host, site)
  }

  private func post(_ site: FlowSite, _ values: [(String, String)]) async -> WebResponse {
    let page = await site.respond(to: WebRequest(method: "GET", target: "/flows/one"))
    return await site.respond(
      to: WebRequest(
        method: "POST", target: "/flows/one/questions/1",
        headers: ["Content-Type": "application/x-www-form-urlencoded"],
        body: Array(TestSite.form(page.questionFields + values).utf8)))
  }

  private static let filled = [
    ("text", "a b"), ("yes", "true"), ("whole", " 7 "), ("half", "-2.5"), ("ratio", "0.5"), ("money", "12.30"),
    ("at", "2026-05-04T10:30"),
    ("link", "https://example.com/x"), ("id", "7F9C24E8-3B12-4FEF-91E0-000000000000"), ("size", "3"),
    ("color", "darkRed"),
    ("inner.code", "-5"), ("inner.note", ""), ("maybe.code", ""), ("maybe.note", ""), ("other", ""),
  ]

  @Test("each property is a field of its kind, and the answer has what was typed")
  func everything() async throws {
    let (host, site) = try await asked(EverythingForm()) { try $0.form(EverythingForm.self, title: { _ in "All" }) }
    let page = await site.respond(to: WebRequest(method: "GET", target: "/flows/one")).text
    #expect(
      page.contains("<option value=\"3\">Extra large</option>")
        && page.contains("<option value=\"darkRed\">Dark red</option>"))
    #expect(page.contains("type=\"datetime-local\" name=\"at\"") && page.contains("At (UTC)"))
    #expect(
      page.contains("name=\"maybe.code\" id=\"q1-maybe.code\">")
        && page.contains("type=\"checkbox\" value=\"true\" name=\"yes\""))
    #expect(page.contains("<label for=\"q1-inner.code\">Inner: Code</label>"))
    #expect(await post(site, Self.filled).status == 303)
    let output = try #require(try await host.flow("one").settled().output)
    let answer = try JSONDecoder().decode(Everything.self, from: Data(output))
    #expect(answer.at == Date(timeIntervalSince1970: 1_777_890_600) && answer.money == Decimal(string: "12.30"))
    #expect(answer.whole == 7 && answer.inner == Inner(code: -5) && answer.maybe == nil && answer.size == .extraLarge)
    // To clients dates are ISO 8601, though the store has numbers.
    let json = await site.respond(
      to: WebRequest(method: "GET", target: "/flows/one", headers: ["Accept": "application/json"]))
    #expect(json.text.contains("\"at\":\"2026-05-04T10:30:00.000Z\""))
  }

  @Test(
    "a value that is not of the field's type is refused at the field",
    arguments: [
      ("whole", "70000"), ("whole", "1.5"), ("half", "inf"), ("money", "1,5"), ("at", "yesterday"), ("id", "x"),
      ("size", "2"), ("color", "green"), ("inner.code", "200"), ("text", ""), ("maybe.code", "x"), ("ratio", "1e300"),
    ])
  func refused(field: String, value: String) async throws {
    let (_, site) = try await asked(EverythingForm()) { try $0.form(EverythingForm.self, title: { _ in "All" }) }
    let response = await post(site, Self.filled.filter { $0.0 != field } + [(field, value)])
    #expect(response.status == 422)
    #expect(
      response.text.contains("id=\"q1-\(field)-error\"") && response.text.contains("value=\"a b\"") == (field != "text")
    )
  }

  @Test("a part of an optional value is needed as soon as another part is filled in")
  func halfFilled() async throws {
    let (host, site) = try await asked(EverythingForm()) { try $0.form(EverythingForm.self, title: { _ in "All" }) }
    let note = Self.filled.filter { $0.0 != "maybe.note" } + [("maybe.note", "hello")]
    let refused = await post(site, note)
    #expect(refused.status == 422 && refused.text.contains("id=\"q1-maybe.code-error\""))
    #expect(await post(site, note.filter { $0.0 != "maybe.code" } + [("maybe.code", "7")]).status == 303)
    let output = try #require(try await host.flow("one").settled().output)
    #expect(
      try JSONDecoder().decode(Everything.self, from: Data(output)).maybe == Inner(code: 7, note: "hello"))
  }

  @Test("both forms of dates are read from JSON")
  func dates() async throws {
    for date in [
      #""2026-05-04T10:30:00Z""#, #""2026-05-04T10:30:00.000Z""#, #""2026-05-04T12:30:00+02:00""#, "799583400",
    ] {
      let (host, site) = try await asked(EverythingForm()) { try $0.form(EverythingForm.self, title: { _ in "All" }) }
      let page = await site.respond(to: WebRequest(method: "GET", target: "/flows/one"))
      let answer = """
        {"question":"\(try #require(page.hidden("_question")))","answer":{"text":"","yes":true,"whole":1,"half":1,"ratio":1,"money":1,
        "at":\(date),"link":"x:y","id":"7F9C24E8-3B12-4FEF-91E0-000000000000","size":1,"color":{"blue":{}},"inner":{"code":1}}}
        """
      let response = await site.respond(
        to: WebRequest(
          method: "POST", target: "/flows/one/questions/1", headers: ["Content-Type": "application/json"],
          body: Array(answer.utf8)))
      #expect(response.status == 200, "\(response.text)")
      let output = try #require(try await host.flow("one").settled().output)
      #expect(
        try JSONDecoder().decode(Everything.self, from: Data(output)).at == Date(timeIntervalSince1970: 1_777_890_600))
    }
  }

  @Test("a readable enum is its name for clients, in stores as before, and both are read")
  func readable() async throws {
    enum Plain: Codable { case poor, fair, excellent }
    let stored = try JSONEncoder().encode([Rating.fair])
    #expect(String(decoding: stored, as: UTF8.self) == #"[{"fair":{}}]"#)
    #expect(stored == (try JSONEncoder().encode([Plain.fair])))
    #expect(try JSONDecoder().decode([Rating].self, from: Data(#"["fair",{"poor":{}}]"#.utf8)) == [.fair, .poor])
    for bad in [#"["good"]"#, #"[{"fair":{},"poor":{}}]"#, "[{}]", "[7]"] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode([Rating].self, from: Data(bad.utf8)) }
    }
    let (_, site) = try await asked(RatingForm(last: .poor)) { try $0.form(RatingForm.self, title: { _ in "Rate" }) }
    let page = await site.respond(to: WebRequest(method: "GET", target: "/flows/one"))
    #expect(page.text.contains("name=\"answer\" value=\"excellent\">Excellent</button>"))
    let json = await site.respond(
      to: WebRequest(method: "GET", target: "/flows/one", headers: ["Accept": "application/json"]))
    #expect(json.text.contains(#""content":{"last":"poor"}"#))
    let description = await site.respond(to: WebRequest(method: "GET", target: "/openapi.json"))
    #expect(description.text.contains(#""enum":["poor","fair","excellent"]"#))
    let question = try #require(page.hidden("_question"))
    let answered = await site.respond(
      to: WebRequest(
        method: "POST", target: "/flows/one/questions/1", headers: ["Content-Type": "application/json"],
        body: Array(#"{"question":"\#(question)","answer":"fair"}"#.utf8)))
    #expect(answered.status == 200 && answered.text.contains(#""output":"fair""#))
  }

  @Test("fields and buttons of one's own make the answer that no form could be made of")
  func buttons() async throws {
    let (host, site) = try await asked(ListForm()) {
      try $0.form(
        ListForm.self, title: { _ in "List" }, fields: [FormField("words", .multiline, help: "One a line")],
        buttons: [("send", "Send"), ("none", "None")]
      ) { button, values in
        if values["words"] == "bad" { throw Refusal.invalid("Not this word.", field: "words") }
        return button == "none" ? [] : (values["words"] ?? "").split(separator: "\n").map(String.init)
      }
    }
    let page = await site.respond(to: WebRequest(method: "GET", target: "/flows/one")).text
    #expect(
      page.contains("aria-describedby=\"q1-words-help\"")
        && page.contains("name=\"_button\" value=\"none\">None</button>"))
    #expect(await post(site, [("words", "bad"), ("_button", "send")]).text.contains("Not this word."))
    #expect(await post(site, [("words", "a"), ("_button", "other")]).status == 422)
    #expect(await post(site, [("words", "a\nb"), ("_button", "send")]).status == 303)
    #expect(try await host.flow("one").settled().output.map { String(decoding: $0, as: UTF8.self) } == #"["a","b"]"#)
  }

  @Test("a page of one's own has the site's fields, and its values after an error")
  func ownPage() async throws {
    let (_, site) = try await asked(EverythingForm()) {
      try $0.page(EverythingForm.self, title: { _ in "Mine" }) { _, form in
        form.form("<h4>Mine</h4>\(form.errors)<input name=\"text\" value=\"\(form.value("text"))\">\(form.buttons)")
      }
    }
    let refused = await post(site, [("text", "\"kept\"")])
    #expect(refused.status == 422 && refused.text.contains("<h4>Mine</h4>"))
    #expect(refused.text.contains("value=\"&quot;kept&quot;\"") && refused.text.contains("role=\"alert\""))
  }

  @Test("a type that no form can be made of is refused when the site is made, with the remedy")
  func refusedTypes() async throws {
    let site = FlowSite(
      host: FlowHost(store: MemoryFlowStore()), title: "Test", authenticate: { _ in nil }, allow: { _, _, _ in })
    func refused(_ add: (inout FlowSite) throws -> Void) -> String {
      var site = site
      let error = #expect(throws: FlowError.self) { try add(&site) }
      #expect(error?.code == .badDefinition)
      return error?.message ?? ""
    }
    #expect(refused { try $0.form(CautiousForm.self, title: { _ in "" }) }.contains("fields:"))
    #expect(refused { try $0.form(ListForm.self, title: { _ in "" }) }.contains("\"answer\""))
    #expect(refused { try $0.form(NodeForm.self, title: { _ in "" }) }.contains("next.next"))
    #expect(
      refused { try $0.form(EverythingForm.self, title: { _ in "" }, fields: [FormField("txt")]) }.contains("\"txt\""))
    #expect(
      refused {
        try $0.form(ListForm.self, title: { _ in "" }, fields: [FormField("_key")], buttons: [("a", "A")]) { _, _ in []
        }
      }.contains("underscore"))
    #expect(
      refused { try $0.form(ListForm.self, title: { _ in "" }, fields: [], buttons: []) { _, _ in [] } }.contains(
        "buttons"))
    #expect(
      refused {
        try $0.form(EverythingForm.self, title: { _ in "" })
        try $0.form(EverythingForm.self, title: { _ in "" })
      }.contains("already"))
  }
}
