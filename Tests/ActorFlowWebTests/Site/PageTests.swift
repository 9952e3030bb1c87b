import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import ActorFlowWeb
import Testing

@Suite("Pages", .timeLimit(.minutes(15))) struct PageTests {
  @Test("an order is started, answered, approved and paid with forms alone")
  func walk() async throws {
    let site = try await TestSite()
    let start = await site.get("/start/order")
    #expect(start.status == 200)
    #expect(start.text.contains("<label for=\"start-item\">Item</label>"))
    let begun = await site.post(
      try #require(start.action), [("_key", try #require(start.hidden("_key"))), ("item", "teapot"), ("quantity", "2")])
    #expect(begun.status == 303)
    let path = try #require(begun.headers["Location"])

    let page = await site.get(path)
    #expect(page.status == 200)
    #expect(page.text.contains("Where shall we send the teapot?"))
    #expect(page.text.contains("autocomplete=\"street-address\""))
    #expect(page.text.contains("<label for=\"q1-floor\">Floor (optional)</label>"))
    let answered = await site.post(
      try #require(page.action), page.questionFields + [("street", "Main St 1"), ("city", "Bern"), ("floor", "")])
    #expect(answered.status == 303 && answered.headers["Location"] == path)

    let waiting = await site.get(path)
    #expect(waiting.text.contains("Waiting for the answer of another person."))
    #expect(!waiting.text.contains("Shall we send 2 pieces?"))
    let approval = await site.get(path, as: "staff-bo")
    #expect(approval.text.contains("Shall we send 2 pieces?") && approval.text.contains("<dt>To</dt><dd>Bern</dd>"))
    #expect(approval.text.contains("name=\"answer\" value=\"approve\">Approve</button>"))
    let approved = await site.post(
      try #require(approval.action), approval.questionFields + [("answer", "approve")], as: "staff-bo")
    #expect(approved.status == 303)
    #expect(await site.get(path).text.contains("Waiting for a message"))

    let id = try #require(path.split(separator: "/").last)
    let notice = #"{"id":"n-1","order":"\#(id)","cents":4200}"#
    let delivered = await site.site.respond(
      to: WebRequest(
        method: "POST", target: "/signals/payments", headers: ["Signature": "good"], body: Array(notice.utf8)))
    #expect(delivered.status == 200 && delivered.text == #"{"delivery":"accepted"}"#)
    _ = try await site.host.flow(FlowID(String(id))).settled()
    let done = await site.get(path)
    #expect(done.text.contains("Paid: 4200 cents for the teapot."))
    #expect(!done.text.contains("<form"))
  }

  @Test("the same order by JSON: questions with their secrets for those who are asked, and the output at the end")
  func json() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let flow = try await site.getJSON("/flows/\(id)")
    #expect(flow["definition"] == "order" && flow["status"] == "waiting")
    #expect(flow["questions.0.content.order.item"] == "teapot")
    let question = try #require(flow["questions.0.question"])
    let next = try await site.postJSON(
      "/flows/\(id)/questions/1",
      #"{"question":"\#(question)","revision":1,"answer":{"street":"Main St 1","city":"Bern"}}"#)
    #expect(next.status == 200)
    #expect(next.value("questions.0.isAsked") as? Bool == false)
    #expect(next["questions.0.question"] == nil && next.value("questions.0.content") == nil)
    let seen = try await site.getJSON("/flows/\(id)", as: "staff-bo")
    let approval = try #require(seen["questions.0.question"])
    let number = try #require(seen.number("questions.0.number"))
    let approved = try await site.postJSON(
      "/flows/\(id)/questions/\(number)", #"{"question":"\#(approval)","answer":"approve"}"#, as: "staff-bo")
    #expect(approved.status == 200 && approved["signals.0"] == "paid")
    _ = try await site.host.flow(FlowID(id)).send(7, to: paid, key: "n")
    _ = try await site.host.flow(FlowID(id)).settled()
    let done = try await site.getJSON("/flows/\(id)")
    #expect(done["status"] == "finished" && done.number("output.cents") == 7)
  }

  @Test("values that are refused come back with the form, an error at each field, and the focus on the first")
  func refusedValues() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let page = await site.get("/flows/\(id)")
    let action = try #require(page.action)
    let missing = await site.post(
      action, page.questionFields + [("street", "Main St 1"), ("city", ""), ("floor", "x")])
    #expect(missing.status == 422)
    #expect(missing.text.contains("value=\"Main St 1\"") && missing.text.contains("data-page=\"/flows/\(id)\""))
    #expect(missing.text.contains("id=\"q1-city-error\">This field is needed.</span>"))
    #expect(missing.text.contains("<a href=\"#q1-floor\">Floor: This needs a whole number, such as 12.</a>"))
    #expect(missing.text.ranges(of: " autofocus").count == 1)
    #expect(missing.text.ranges(of: "aria-invalid=\"true\"").count == 2)

    let refused = await site.post(action, page.questionFields + [("street", "x"), ("city", "Bern")])
    #expect(refused.status == 422)
    #expect(refused.text.contains("id=\"q1-street-error\">A street has three letters or more.</span>"))
    #expect(refused.text.contains("value=\"Bern\""))
    let problem = try await site.postJSON(
      "/flows/\(id)/questions/1",
      #"{"question":"\#(try #require(page.hidden("_question")))","answer":{"street":"x","city":"Bern"}}"#)
    #expect(problem.status == 422 && problem["errors.0.field"] == "street" && problem["code"] == "invalid")
    #expect(problem.response.headers["Content-Type"] == "application/problem+json")
  }

  @Test("the start form comes back with its errors")
  func refusedStart() async throws {
    let site = try await TestSite()
    let refused = await site.post("/flows/order", [("item", "<b>"), ("quantity", "99999999999999999999")])
    #expect(refused.status == 422)
    #expect(refused.text.contains("value=\"&lt;b&gt;\"") && refused.text.contains("start-quantity-error"))
    let json = try await site.postJSON("/flows/order", #"{"item":"teapot"}"#)
    #expect(json.status == 422 && json["errors.0.field"] == "quantity")
  }

  @Test("back leads from the approval to the address, and abandon ends the order")
  func leaving() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    #expect(await !site.get("/flows/\(id)").text.contains("/back\""))
    try await site.answerAddress(id)
    let page = await site.get("/flows/\(id)")
    let back = await site.post(
      "/flows/\(id)/back",
      [("_key", try #require(page.hidden("_key"))), ("_revision", try #require(page.hidden("_revision")))])
    #expect(back.status == 303)
    #expect(await site.get("/flows/\(id)").text.contains("Where shall we send"))
    let abandoned = await site.post("/flows/\(id)/abandon", [("_reason", "changed my mind")])
    #expect(abandoned.status == 303)
    let flow = try await site.getJSON("/flows/\(id)")
    #expect(flow["status"] == "abandoned" && flow["reason"] == "changed my mind")
    let late = try await site.postJSON("/flows/\(id)/back", "{}")
    #expect(late.status == 409 && late["code"] == "flowEnded" && late["page.status"] == "abandoned")
  }

  @Test("pages are in the language that the browser prefers")
  func languages() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let german = await site.get("/flows/\(id)", headers: ["Accept-Language": "fr, de-CH;q=0.9, en;q=0.1"])
    #expect(german.text.contains("<html lang=\"de\">") && german.text.contains("Alles abbrechen"))
    #expect(await site.get("/flows/\(id)", headers: ["Accept-Language": "fr"]).text.contains("<html lang=\"en\">"))
  }

  @Test("staff finds the approval among its tasks, and others do not")
  func tasks() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    try await site.answerAddress(id)
    let page = await site.get("/tasks", as: "staff-bo")
    #expect(page.text.contains("<a href=\"/flows/\(id)\">Shall we send 2 pieces?</a>"))
    #expect(await site.get("/tasks").text.contains("Nothing is open for you."))
    let list = try await site.getJSON("/tasks", as: "staff-bo")
    #expect(list["tasks.0.flow"] == id && list["tasks.0.title"] == "Shall we send 2 pieces?")
    #expect(await site.get("/tasks?cursor=x", as: "staff-bo").status == 400)
  }

  @Test("a second page of tasks begins after a cursor without secret digits, also if the last question was answered")
  func pagesOfTasks() async throws {
    let site = try await TestSite()
    for number in 0..<52 {
      let flow = site.host.flow(FlowID("f\(number)"))
      try await site.host.start("order", id: flow.id, json: Array(#"{"item":"pot","quantity":2}"#.utf8))
      _ = try await flow.settled()
      try await flow.answer(AddressForm.self, with: Address(street: "Main St 1", city: "Bern"))
      _ = try await flow.settled()
    }
    let digits = try await site.host.tasks().tasks.compactMap { $0.task.question.split(separator: "~").last }
    #expect(digits.count == 52 && digits.allSatisfy { $0.count == 32 })
    let page = await site.get("/tasks", as: "staff-bo")
    let list = try await site.getJSON("/tasks", as: "staff-bo")
    for text in [page.text, list.response.text] { #expect(!digits.contains { text.contains($0) }) }
    let last = try #require(list["tasks.49.flow"])
    try await site.host.flow(FlowID(last)).abandon()
    let next = try #require(page.text.firstMatch(of: /href="(\/tasks\?cursor=[^"]+)"/)).1
    let second = await site.get(String(next), as: "staff-bo").text
    let cursor = TestSite.encoded(try #require(list["cursor"]))
    let rest = try await site.getJSON("/tasks?cursor=\(cursor)", as: "staff-bo")
    let flows = [list, rest].flatMap {
      ($0.value("tasks") as? [[String: Any]])?.compactMap { $0["flow"] as? String } ?? []
    }
    #expect(flows.count == 52 && Set(flows).count == 52)
    #expect(flows.suffix(2).allSatisfy { second.contains("<a href=\"/flows/\($0)\">") } && rest["cursor"] == nil)
  }

  @Test("the history is for those who may see it, and has no secrets")
  func history() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let secret = try #require(
      try await site.getJSON("/flows/\(id)")["questions.0.question"]?.split(separator: "~").last)
    #expect(await site.get("/flows/\(id)/history").status == 403)
    let page = await site.get("/flows/\(id)/history", as: "staff-bo")
    #expect(page.status == 200 && page.text.contains("<td>asked</td>") && page.text.contains("<td>ann</td>"))
    #expect(!page.text.contains(secret))
    let json = try await site.getJSON("/flows/\(id)/history?after=1", as: "staff-bo")
    #expect(json.number("entries.0.sequence") == 2)
  }

  @Test("the drawing shows the position, as SVG without styles, and as text for Mermaid")
  func diagram() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let svg = await site.get("/flows/\(id)/diagram")
    #expect(svg.headers["Content-Type"] == "image/svg+xml")
    #expect(svg.text.contains("#ffd966") && svg.text.contains("waiting for an answer</text>"))
    #expect(!svg.text.contains("style"))
    #expect(await site.get("/flows/\(id)/diagram?format=mermaid").text.hasPrefix("flowchart TD"))
    #expect(await site.get("/flows/\(id)/diagram?format=png").status == 400)
    #expect(await site.get("/flows/\(id)/diagram", as: "bob").status == 403)
  }

  @Test("the description has each definition, and the fields of its answers")
  func description() async throws {
    let site = try await TestSite()
    let openAPI = try await site.getJSON("/openapi.json")
    #expect(openAPI["openapi"] == "3.1.0")
    let start = try #require(openAPI.value("paths") as? [String: Any])["/flows/order"]
    #expect("\(try #require(start))".contains("quantity"))
    #expect(openAPI["components.schemas.Flow.type"] == "object")
  }

  @Test("a site under a path has all its links there, and nothing beside it")
  func prefix() async throws {
    var site = try await TestSite()
    let id = try await site.started()
    for path in ["/shop", "shop/", "/shop/"] {
      site.site.path = path
      let page = await site.get("/shop/flows/\(id)")
      #expect(page.status == 200 && page.action == "/shop/flows/\(id)/questions/1")
      #expect(page.text.contains("src=\"/shop/flow.js\"") && page.text.contains("<a href=\"/shop\">Shop</a>"))
      #expect(await site.get("/shop").status == 200)
      #expect(await site.get("/flows/\(id)").status == 404)
      #expect(await site.get("/shopping").status == 404)
    }
  }

  @Test("health says whether the host runs, and the files are the same for all")
  func health() async throws {
    let site = try await TestSite()
    #expect(await site.get("/health", as: "expired").status == 503)
    let running = Task { try await site.host.run() }
    try await site.clock.waitForSleepers(1)
    let health = await site.get("/health", as: nil)
    #expect(health.status == 200 && health.text == #"{"status":"running"}"#)
    running.cancel()
    _ = await running.result
    #expect(await site.get("/flow.js", as: nil).headers["Content-Type"]?.hasPrefix("text/javascript") == true)
    #expect(await site.get("/flow.css", as: nil).status == 200)
  }
}

extension TestSite {
  /// Answers the first question of an order.
  func answerAddress(_ id: String, as name: String = "ann", key: String? = nil) async throws {
    let question = try #require(try await getJSON("/flows/\(id)", as: name)["questions.0.question"])
    let reply = try await postJSON(
      "/flows/\(id)/questions/1", #"{"question":"\#(question)","answer":{"street":"Main St 1","city":"Bern"}}"#,
      as: name, key: key)
    #expect(reply.status == 200)
  }
}
