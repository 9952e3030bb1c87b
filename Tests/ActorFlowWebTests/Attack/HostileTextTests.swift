import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Testing

@Suite("Hostile texts", .timeLimit(.minutes(15))) struct HostileTextTests {
  static let hostile = "</title></textarea>\"'><script>alert(1)</script><img src=x onerror=alert(1)>&\u{0}`"

  /// Whether a page has any of the text's markup as markup.
  private func isSafe(_ text: String) -> Bool {
    !text.contains("<script>alert") && !text.contains("<img src=x") && !text.contains("</textarea>\"")
      && !text.contains("\"'>") && !text.contains("\u{0}")
  }

  @Test("texts of prompts, people, labels and values are escaped wherever they are shown")
  func everywhere() async throws {
    let site = try await TestSite()
    let name = "staff\"'><script>alert(1)</script>"
    let item = #"</title></textarea>\"'><script>alert(1)</script><img src=x onerror=alert(1)>&`"#
    let id = try await site.started(as: name, item: item)
    let page = await site.get("/flows/\(id)", as: name)
    #expect(page.text.contains("&lt;script&gt;alert(1)") && isSafe(page.text))
    let refused = await site.post(
      try #require(page.action), page.questionFields + [("street", Self.hostile), ("city", "")], as: name)
    #expect(refused.status == 422 && refused.text.contains("&lt;script&gt;") && isSafe(refused.text))
    let answered = await site.post(
      try #require(page.action), page.questionFields + [("street", Self.hostile), ("city", Self.hostile)], as: name)
    #expect(answered.status == 303)
    let approval = await site.get("/flows/\(id)", as: name)
    #expect(approval.text.contains("&lt;img src=x") && isSafe(approval.text))
    #expect(await isSafe(site.get("/tasks", as: name).text))
    _ = await site.post("/flows/\(id)/abandon", [("_reason", "\"'><script>alert(1)</script>")], as: name)
    let history = await site.get("/flows/\(id)/history", as: name)
    #expect(history.text.contains("alert(1)") && isSafe(history.text))
  }

  @Test("a flow's id may have any character, and is a single part of its path")
  func ids() async throws {
    let site = try await TestSite()
    let orders = Flow("talk") { Step("wait") { (name: String, context: StepContext) in name } }
    let talks = try await site.host.register(orders)
    var served = site
    try served.site.serve(withoutStarting: talks)
    for id in ["a/b?c#d", "ä \"<'>&", "%2F", "..%2e", "a+b;c"] {
      try await talks.start(id: FlowID(id), with: "x", labels: ["customer": "ann"])
      let reply = try await served.getJSON("/flows/\(TestSite.encoded(id))")
      #expect(reply.status == 200 && reply["id"] == id)
      let page = await served.get("/flows/\(TestSite.encoded(id))/diagram")
      #expect(page.status == 200)
    }
  }

  @Test("a header cannot begin another one")
  func headerInjection() {
    var headers: WebHeaders = [:]
    headers["Location"] = "/a\r\nSet-Cookie: session=mallory"
    #expect(headers["location"] == "/a  Set-Cookie: session=mallory" && headers.fields.count == 1)
  }

  @Test("HTML escapes what is put into it, in texts and attributes")
  func escaping() {
    let html: HTML = "<p title=\"\(Self.hostile)\">\(Self.hostile)</p>"
    #expect(html.markup.ranges(of: "<").count == 2 && html.markup.ranges(of: "\"").count == 2)
    #expect(!html.markup.contains("\u{0}") && html.markup.contains("&amp;"))
    #expect(HTML(["<b>\(1)</b>", HTML(text: "<i>")]).markup == "<b>1</b>&lt;i&gt;")
  }
}
