import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import ActorFlowWeb
import Foundation
import Testing

@Suite("Operators' pages", .timeLimit(.minutes(15))) struct AdminPageTests {
  /// A question that can be assigned to others.
  private struct Vote: ReassignablePrompt, Codable {
    typealias Answer = String
    static let promptName = "test.pageVote"
    var assignees: [String]
  }

  private func page(_ admin: AdminSite, _ path: String, _ language: String = "en") async -> WebResponse {
    await admin.shop.get("/admin\(path)", as: "staff-cleo", headers: ["Accept-Language": language])
  }

  private func post(_ admin: AdminSite, _ path: String, _ values: [(String, String)]) async -> WebResponse {
    await admin.shop.post("/admin\(path)", values, as: "staff-cleo")
  }

  /// Returns the verbs of the forms on the page of a flow, in order.
  private func verbs(_ admin: AdminSite, _ id: String) async -> [String] {
    let text = await page(admin, "/flows/\(id)").text
    return text.matches(of: /method="post" action="[^"]*\/([a-z]+)"/).map { String($0.1) }
  }

  /// Starts a flow that asks `ann` for a vote.
  private func voting(_ admin: AdminSite, _ id: FlowID = "v") async throws {
    let ballot = Flow("ballot") {
      Step("vote") { (order: Order, context: StepContext) in try await context.ask(Vote(assignees: [order.item])) }
    }
    try await admin.shop.host.register(ballot).start(id: id, with: Order(item: "ann", quantity: 1))
    _ = try await admin.shop.host.flow(id).settled()
  }

  @Test("each look is a page for a browser, in the browser's language, and JSON for a program")
  func looks() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    try await admin.shop.answerAddress(try await admin.shop.started())
    let looks = [
      ("", "Abläufe"), ("/flows", "Abläufe"), ("/flows/\(id)", id), ("/flows/\(id)/history", "Verlauf: \(id)"),
      ("/tasks", "Offene Fragen aller Personen"), ("/plan", "Umstellungen"), ("/counts", "Zahlen"),
    ]
    for (path, heading) in looks {
      let response = await page(admin, path, "de")
      #expect(response.status == 200 && response.headers["Content-Type"] == "text/html; charset=utf-8")
      #expect(response.text.contains("<html lang=\"de\">") && response.text.contains("<h1>\(heading)</h1>"), "\(path)")
      #expect(response.text.contains("<a href=\"/admin/plan\">Umstellungen</a>"))
      #expect(await page(admin, path).text.contains("<html lang=\"en\">"))
      #expect(try await admin.get(path).response.headers["Content-Type"] == "application/json")
    }
    #expect(await page(admin, "/tasks").text.contains("<td>order/approval</td>"))
    #expect(
      await page(admin, "/counts").text.contains("<a href=\"/admin?status=suspended\">suspended</a></td><td>1</td>"))
    #expect(await page(admin, "/plan").text.contains("<dt>Stay with their version</dt><dd>2</dd>"))
  }

  @Test(
    "a look that was JSON before it had a page is one only for a client that names HTML",
    arguments: ["", "*/*", "text/*", "text/html;q=0", "application/xml, */*;q=0.8"])
  func programs(accept: String) async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    func type(_ path: String) async -> String? {
      await admin.shop.get("/admin\(path)", as: "staff-cleo", accept: accept).headers["Content-Type"]
    }
    for path in ["/tasks", "/plan", "/counts", "/flows/\(id)/history"] {
      #expect(await type(path) == "application/json", "\(path)")
    }
    for path in ["", "/flows/\(id)"] { #expect(await type(path) == "text/html; charset=utf-8", "\(path)") }
  }

  @Test("a browser's own Accept gets pages")
  func browser() async throws {
    let admin = try await AdminSite()
    let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    for path in ["/tasks", "/plan", "/counts"] {
      let page = await admin.shop.get("/admin\(path)", as: "staff-cleo", accept: accept)
      #expect(page.headers["Content-Type"] == "text/html; charset=utf-8", "\(path)")
    }
  }

  @Test("lists go on at the next page with the filters of the first")
  func paging() async throws {
    let admin = try await AdminSite()
    for _ in 0..<3 { try await admin.shop.answerAddress(try await admin.shop.started()) }
    func next(_ response: WebResponse) -> String? {
      response.text.firstMatch(of: /<a href="\/admin([^"]*cursor=[^"]*)">Next/).map {
        String($0.1).replacing("&amp;", with: "&")
      }
    }
    for path in ["?definition=order&limit=2&version=1", "/tasks?assignee=staff&limit=2"] {
      let more = try #require(next(await page(admin, path)))
      #expect(more.contains(path.contains("tasks") ? "assignee=staff" : "definition=order&limit=2&version=1"))
      let last = await page(admin, more)
      #expect(next(last) == nil && last.text.matches(of: /<td><a href="\/admin\/flows\//).count == 1)
    }
    let id = try await admin.shop.started()
    let first = await page(admin, "/flows/\(id)/history?limit=1")
    let more = try #require(first.text.firstMatch(of: /<a href="\/admin([^"]*after=1&amp;limit=1)">/)).1
    #expect(await page(admin, String(more).replacing("&amp;", with: "&")).text.contains("<td>2</td>"))
  }

  @Test("a filter that is refused comes back with what was typed")
  func refusedFilter() async throws {
    let admin = try await AdminSite()
    let response = await page(admin, "/flows?status=asleep&changedBefore=2026-01-01&definition=%22x%22")
    #expect(response.status == 422 && response.text.contains("id=\"filter-status-error\""))
    #expect(response.text.contains("value=\"asleep\"") && response.text.contains("value=\"&quot;x&quot;\""))
    #expect(response.text.contains("type=\"hidden\" name=\"changedBefore\" value=\"2026-01-01\""))
    let unknown = await page(admin, "/flows?defintion=order")
    #expect(unknown.status == 422 && unknown.text.contains("the filter &quot;defintion&quot;: no filter has this name"))
  }

  @Test(
    "a refused value for which the filter has no field is named, and not sent again",
    arguments: [
      ("limit", "0", "the limit is a number from 1 to 1,000"), ("changedBefore", "soon", "&quot;changedBefore&quot;"),
      ("defintion", "order", "&quot;defintion&quot;"),
    ])
  func refusedHidden(name: String, value: String, reason: String) async throws {
    let admin = try await AdminSite()
    let response = await page(admin, "?startedBefore=2100-01-01&\(name)=\(value)")
    #expect(response.status == 422 && response.text.contains("<details open>") && response.text.contains(reason))
    #expect(response.text.contains("name=\"startedBefore\"") && !response.text.contains("name=\"\(name)\""))
  }

  @Test("the page of a flow has a form for each verb that its status admits, and for no other")
  func formsByStatus() async throws {
    let admin = try await AdminSite()
    let open = ["complete", "enter", "move", "abandon"]
    let waiting = try await admin.shop.started()
    #expect(await verbs(admin, waiting) == ["note", "reassign", "refresh"] + open)
    let suspended = try await admin.suspended()
    #expect(await verbs(admin, suspended) == ["note", "retry"] + open)
    #expect(await post(admin, "/flows/\(suspended)/abandon", [("reason", "over")]).status == 303)
    #expect(await verbs(admin, suspended) == ["note", "redact"])
    #expect(await post(admin, "/flows/\(suspended)/redact", [("reason", "asked to")]).status == 303)
    #expect(await verbs(admin, suspended) == ["note"])
  }

  @Test("a flow that owes a compensation has a form for it, and is not to be redacted before")
  func owed() async throws {
    let admin = try await AdminSite()
    let stuck = Flow("stuck") {
      Step("first") { Stuck() }
      Step("second") { (order: Order, context: StepContext) in try await context.ask(Vote(assignees: [order.item])) }
    }
    try await admin.shop.host.register(stuck).start(id: "s", with: Order(item: "ann", quantity: 1))
    _ = try await admin.shop.host.flow("s").settled()
    _ = await post(admin, "/flows/s/abandon", [("reason", "over")])
    _ = try await admin.shop.host.flow("s").settled()
    #expect(await verbs(admin, "s") == ["note", "retry", "compensate"])
    #expect(await page(admin, "/flows/s").text.contains("<option value=\"stuck/first\">stuck/first</option>"))
    let failed = await post(admin, "/flows/s/compensate", [("reason", "again"), ("step", "")])
    #expect(failed.status == 409 && failed.text.contains("<details open>") && failed.text.contains("value=\"again\""))
  }

  private actor Stuck: FlowStep {
    func proceed(_ order: Order, context: StepContext) async throws -> Order { order }
    func backUp(context: RollbackContext) throws { throw Rejected() }
  }

  @Test("a flow that has finished can be noted and redacted, and one that fits no version has no form")
  func finishedAndUnmigrated() async throws {
    let admin = try await AdminSite()
    let pass = Flow("pass") { Step("pass") { (order: Order) in order } }
    try await admin.shop.host.register(pass).start(id: "p", with: Order(item: "x", quantity: 1))
    _ = try await admin.shop.host.flow("p").settled()
    #expect(await verbs(admin, "p") == ["note", "redact"])
    #expect(await post(admin, "/flows/p/retry", [("reason", "x")]).status == 409)

    let old = FlowHost(store: admin.shop.store, clock: admin.shop.clock)
    let asking = Flow("asking") {
      Step("ask") { (order: Order, context: StepContext) in try await context.ask(Vote(assignees: [order.item])) }
    }
    try await old.register(asking).start(id: "u", with: Order(item: "ann", quantity: 1))
    _ = try await old.flow("u").settled()
    try await old.shutDown()
    let renamed = Flow("asking") {
      Step("other") { (order: Order, context: StepContext) in try await context.ask(Vote(assignees: [order.item])) }
    }
    try await admin.shop.host.register(renamed, version: 2, from: 1)
    for (verb, name) in [("note", "text"), ("move", "reason"), ("abandon", "reason")] {
      #expect(await post(admin, "/flows/u/\(verb)", [(name, "deployed")]).status == 503, "\(verb)")
    }
    #expect(try await admin.get("/flows/u")["flow.status"] == "unmigrated")
    let shown = await verbs(admin, "u")
    #expect(shown.isEmpty)
  }

  @Test("a flow that has failed can be noted and redacted")
  func failed() async throws {
    let admin = try await AdminSite()
    let failing = Flow("failing") {
      Step("fail") { (order: Order) throws -> Order in throw Rejected() }
    }.onFailure(.rollBack)
    try await admin.shop.host.register(failing).start(id: "f", with: Order(item: "x", quantity: 1))
    #expect(try await admin.shop.host.flow("f").settled().status == .failed)
    #expect(await verbs(admin, "f") == ["note", "redact"])
  }

  @Test("of a flow whose key was erased there is a page with a form that removes the rest")
  func erased() async throws {
    var admin = try await AdminSite()
    let codec = ForgettingCodec()
    var options = FlowHost.Options()
    options.codec = codec
    var shop = admin.shop
    func site() async throws -> (FlowHost, FlowSite) {
      let host = try FlowHost(store: shop.store, clock: shop.clock, options: options)
      var site = try await OpenShop.site(host, authenticate: { _ in Principal(id: "op") })
      site.admin()
      return (host, site)
    }
    let old: FlowHost
    (old, shop.site) = try await site()
    let id = try await shop.started()
    try await old.shutDown()
    codec.isErased.withLock { $0 = true }
    (_, shop.site) = try await site()
    admin = AdminSite(shop: shop)
    #expect(await verbs(admin, id) == ["redact"])
    let noted = await post(admin, "/flows/\(id)/note", [("text", "called")])
    #expect(noted.status == 410 && noted.text.contains("The data was removed"))
    #expect(await post(admin, "/flows/\(id)/redact", [("reason", "asked to")]).status == 303)
    #expect(await page(admin, "/flows/\(id)").text.contains("<dd>erased</dd>"))
  }

  /// A codec that can lose its key.
  private final class ForgettingCodec: BodyCodec {
    let isErased = Lock(false)

    func key(for flow: FlowID, labels: [String: String]) -> String? { "key" }
    func encode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { bytes }
    func decode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] {
      if isErased.withLock({ $0 }) { throw ErasedKey() }
      return bytes
    }
  }

  @Test("the forms of a suspended flow work as they stand on the page")
  func forms() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    let shown = await page(admin, "/flows/\(id)", "de").text
    #expect(shown.contains("<option value=\"order/approval\" selected>") && shown.contains("Schritt neu beginnen"))
    let placed = #"{"order":{"item":"pot","quantity":1},"address":{"street":"Main St 1","city":"Bern"}}"#
    let step = ("step", "order/approval")
    let entered = await post(admin, "/flows/\(id)/enter", [step, ("input", placed), ("reason", "a new price")])
    #expect(entered.status == 303 && entered.headers["Location"] == "/admin/flows/\(id)")
    #expect(try await admin.get("/flows/\(id)")["flow.status"] == "waiting")
    let completed = await post(admin, "/flows/\(id)/complete", [step, ("output", placed), ("reason", "by phone")])
    #expect(completed.status == 303)
    #expect(try await admin.get("/flows/\(id)")["flow.signals.0"] == "paid")
    #expect(await post(admin, "/flows/\(id)/move", [("reason", "deployed")]).status == 303)
    let left = await post(admin, "/flows/\(id)/abandon", [("rollingBack", "false"), ("reason", "over")])
    #expect(left.status == 303)
    #expect(try await admin.get("/flows/\(id)")["flow.status"] == "abandoned")
  }

  @Test("each question has a form that assigns it, with its people and its revision")
  func reassign() async throws {
    let admin = try await AdminSite()
    try await voting(admin)
    let shown = await page(admin, "/flows/v")
    #expect(
      shown.text.contains("name=\"assignees\" id=\"reassign-1-assignees\"") && shown.text.contains("\nann</textarea>"))
    #expect(shown.text.contains("name=\"question\" value=\"1\"") && shown.hidden("revision") == "1")
    let values = [("question", "1"), ("revision", "1"), ("assignees", "bob\r\n\r\n cy \n"), ("reason", "ann is away")]
    #expect(await post(admin, "/flows/v/reassign", values).status == 303)
    #expect(try await admin.get("/flows/v")["flow.questions.0.assignees.1"] == "cy")
    let late = await post(admin, "/flows/v/reassign", values)
    #expect(late.status == 409 && late.text.contains("bob\r\n\r\n cy \n</textarea>") && late.hidden("revision") == "2")
    #expect(late.text.contains("This has changed meanwhile"))
    #expect(await post(admin, "/flows/v/refresh", [("reason", "deployed")]).status == 303)
  }

  @Test("a form that assigns a question and is sent as it stands changes no name, also not one with a comma")
  func comma() async throws {
    let admin = try await AdminSite()
    let ballot = Flow("ballot") {
      Step("vote") { (order: Order, context: StepContext) in
        try await context.ask(Vote(assignees: ["Miller, Ann", order.item]))
      }
    }
    try await admin.shop.host.register(ballot).start(id: "v", with: Order(item: "bob", quantity: 1))
    _ = try await admin.shop.host.flow("v").settled()
    let shown = await page(admin, "/flows/v").text
    // A browser sends the end of a line as two characters.
    let names = try #require(shown.firstMatch(of: /<textarea[^>]*name="assignees"[^>]*>\n([^<]*)</)).1
    let values = [
      ("question", "1"), ("revision", "1"), ("assignees", String(names).replacing("\n", with: "\r\n")),
      ("reason", "as it is"),
    ]
    #expect(await post(admin, "/flows/v/reassign", values).status == 303)
    let flow = try await admin.get("/flows/v")
    #expect(flow.value("flow.questions.0.assignees") as? [String] == ["Miller, Ann", "bob"])
  }

  @Test("a form that is refused comes back with the reason and what was typed, and all others closed")
  func refused() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    let empty = await page(admin, "/flows/\(id)").text
    #expect(!empty.contains("<details open>"))
    let missing = await post(
      admin, "/flows/\(id)/complete", [("step", "order/approval"), ("output", "{\"typed\":1}"), ("reason", " ")])
    #expect(missing.status == 422 && missing.text.ranges(of: "<details open>").count == 1)
    #expect(missing.text.contains("{&quot;typed&quot;:1}</textarea>") && missing.text.contains("complete-reason-error"))
    #expect(missing.text.contains("This field is needed.") && missing.text.ranges(of: " autofocus").count == 1)
    let wrong = await post(
      admin, "/flows/\(id)/complete", [("step", "order/approval"), ("output", "{\"typed\":1}"), ("reason", "x")])
    #expect(wrong.status == 422 && wrong.text.contains("{&quot;typed&quot;:1}</textarea>"))
    #expect(wrong.text.ranges(of: "role=\"alert\"").count == 1)
    let long = await post(admin, "/flows/\(id)/note", [("text", String(repeating: "n", count: 2_000))])
    #expect(long.status == 413 && long.text.contains("nnnn</textarea>"))
    let unknown = await post(admin, "/flows/\(id)/abandon", [("reason", "x"), ("rolingBack", "false")])
    #expect(unknown.status == 422 && unknown.text.contains("no value of this request has this name"))
    let key = [("_key", "0123456789abcdef")]
    #expect(await post(admin, "/flows/\(id)/note", key + [("text", "one")]).status == 303)
    let reused = await post(admin, "/flows/\(id)/note", key + [("text", "two")])
    #expect(reused.status == 422 && reused.text.contains("two</textarea>") && reused.hidden("_key") != key[0].1)
    #expect(try await admin.get("/flows/\(id)")["flow.status"] == "suspended")
  }

  @Test("a form that the flow no longer admits comes back as a notice with the reason")
  func late() async throws {
    let admin = try await AdminSite()
    let id = try await admin.shop.started()
    let late = await post(admin, "/flows/\(id)/retry", [("reason", "late")])
    #expect(late.status == 409 && late.text.contains("not suspended") && !late.text.contains("<details open>"))
    #expect(late.text.ranges(of: "role=\"alert\"").count == 1)
    #expect(await post(admin, "/flows/none/retry", [("reason", "x")]).text.contains("<h1>There is no such page</h1>"))
  }

  @Test("a form that was perhaps done keeps its key when it comes back")
  func unavailable() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    try await admin.shop.host.shutDown()
    let refused = await post(admin, "/flows/\(id)/note", [("_key", "0123456789abcdef"), ("text", "typed")])
    #expect(refused.status == 503 && refused.headers["Retry-After"] == "5")
    #expect(refused.hidden("_key") == "0123456789abcdef" && refused.text.contains("typed</textarea>"))
  }

  @Test(
    "a form comes back with its key and what was typed, also while the store is still away, and is then done once",
    arguments: [FlowStoreError.Code.outcomeUnknown, .unavailable, .corrupted])
  func storeAway(code: FlowStoreError.Code) async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    let isAway = Lock(false)
    admin.shop.store.plan { call in
      if call.operation == .commit { isAway.withLock { $0 = true } }
      return isAway.withLock { $0 } ? .fail(code) : nil
    }
    let values = [("_key", "0123456789abcdef"), ("text", "{\"typed\":1}")]
    let refused = await post(admin, "/flows/\(id)/note", values)
    #expect(refused.status == code.httpStatus && refused.hidden("_key") == "0123456789abcdef")
    #expect(refused.text.contains("{&quot;typed&quot;:1}</textarea>"))
    #expect(
      refused.text.ranges(of: "method=\"post\"").count == 1 && refused.text.contains("href=\"/admin/flows/\(id)\""))
    admin.shop.store.plan { _ in nil }
    for _ in 0..<2 { #expect(await post(admin, "/flows/\(id)/note", values).status == 303) }
    let history = try await admin.get("/flows/\(id)/history")
    let entries = try #require(history.value("entries") as? [[String: Any]])
    #expect(entries.count { $0["what"] as? String == "noted" } == 1)
  }

  @Test("a form that assigns a question comes back for this question while the store is away")
  func reassignAway() async throws {
    let admin = try await AdminSite()
    try await voting(admin)
    admin.shop.store.plan { $0.operation == .commit ? .fail(.unavailable) : nil }
    for (question, isShown) in [("1", true), ("9", false)] {
      let values = [("question", question), ("revision", "1"), ("assignees", "bob"), ("reason", "ann is away")]
      let refused = await post(admin, "/flows/v/reassign", values)
      #expect(refused.status == (isShown ? 503 : 404))
      #expect(refused.text.contains("value=\"ann is away\"") == isShown)
    }
  }

  @Test("an operator sees the forms and links of those verbs alone that the site allows")
  func rights() async throws {
    var admin = try await AdminSite()
    let id = try await admin.suspended()
    var shop = admin.shop
    var site = try await OpenShop.site(
      FlowHost(store: shop.store, clock: shop.clock), authenticate: { _ in Principal(id: "op") },
      allow: { verb, _, _ in
        switch verb {
        case .operate(.list), .operate(.show), .operate(.note), .look, .list: return
        default: throw Refusal.notAllowed("not this")
        }
      })
    site.admin()
    shop.site = site
    admin = AdminSite(shop: shop)
    #expect(await verbs(admin, id) == ["note"])
    let shown = await page(admin, "/flows/\(id)").text
    #expect(shown.contains("href=\"/admin/counts\"") && !shown.contains("href=\"/admin/plan\""))
    #expect(!shown.contains("href=\"/admin/tasks\"") && !shown.contains("href=\"/admin/flows/\(id)/history\""))
    let refused = await post(admin, "/flows/\(id)/retry", [("reason", "x")])
    #expect(refused.status == 403 && refused.text.contains("not this") && !refused.text.contains("<details"))
  }

  @Test("the home page leads operators to their pages, and others not")
  func home() async throws {
    let admin = try await AdminSite()
    let link = "<a href=\"/admin\">Operating</a>"
    #expect(await admin.shop.get("/", as: "staff-cleo").text.contains(link))
    for name in ["staff-bo", "ann", nil] { #expect(await !admin.shop.get("/", as: name).text.contains(link)) }
    let shop = try await TestSite()
    #expect(await !shop.get("/", as: "staff-cleo").text.contains(link))
  }

  @Test(
    "the home page leads an operator to the first page that the site allows",
    arguments: [
      (FlowSite.Operation.list, "/admin"), (.tasks, "/admin/tasks"), (.plan, "/admin/plan"), (.show, nil),
    ] as [(FlowSite.Operation, String?)])
  func firstLook(operation: FlowSite.Operation, path: String?) async throws {
    var site = try await OpenShop.site(
      FlowHost(store: MemoryFlowStore()), authenticate: { _ in Principal(id: "op") },
      allow: { verb, _, _ in if verb != .operate(operation) { throw Refusal.notAllowed("not this") } })
    site.admin()
    let home = await site.respond(to: WebRequest(method: "GET", target: "/")).text
    #expect(home.contains("Operating</a>") == (path != nil))
    if let path { #expect(home.contains("<a href=\"\(path)\">Operating</a>")) }
  }

  @Test("the address of a form, loaded again after a refusal, leads to the page")
  func reload() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    let response = await page(admin, "/flows/\(id)/retry")
    #expect(response.status == 303 && response.headers["Location"] == "/admin/flows/\(id)")
  }
}
