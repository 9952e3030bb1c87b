import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import ActorFlowWeb
import Testing

@Suite("Statuses and representations", .timeLimit(.minutes(15))) struct StatusTests {
  @Test("a step that fails suspends the flow, whose page says no more than that")
  func suspended() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    try await site.answerAddress(id)
    let page = await site.get("/flows/\(id)", as: "staff")
    let rejected = await site.post(
      "/flows/\(id)/questions/2", page.questionFields + [("answer", "reject")], as: "staff")
    #expect(rejected.status == 303)
    let after = await site.get("/flows/\(id)")
    #expect(after.text.contains("A step has failed.") && !after.text.contains("Rejected"))
    let json = try await site.getJSON("/flows/\(id)")
    #expect(json["status"] == "suspended" && !json.response.text.contains("Rejected"))
    let late = try await site.postJSON("/flows/\(id)/back", "{}", as: "staff")
    #expect(late.status == 409 && late["code"] == "suspended" && late["page.status"] == "suspended")
  }

  @Test(
    "a back and an abandon whose `backUp` throws are done for the client, in HTML and in JSON",
    arguments: [true, false])
  func rollbackFailed(isJSON: Bool) async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let stuck = Flow("stuck") {
      Step("first") { Stuck() }
      Step("second") { Stuck() }
    }
    let flows = try await host.register(stuck)
    var site = FlowSite(host: host, title: "Stuck", authenticate: { _ in nil }, allow: { _, _, _ in })
    try site.serve(withoutStarting: flows)
    try await flows.start(id: "s", with: Order(item: "x", quantity: 1))
    let flow = host.flow("s")
    _ = try await flow.settled()
    try await flow.answer(AddressForm.self, with: AddressForm.Answer(street: "Main St 1", city: "Bern"))
    _ = try await flow.settled()
    for verb in ["back", "abandon"] {
      let headers: WebHeaders = [
        "Accept": isJSON ? "application/json" : "text/html", "Content-Type": "application/json",
      ]
      let response = await site.respond(
        to: WebRequest(method: "POST", target: "/flows/s/\(verb)", headers: headers, body: Array("{}".utf8)))
      #expect(response.status == (isJSON ? 200 : 303), "\(verb): \(response.text)")
    }
    #expect(try await flow.view().status == .abandoned)
  }

  private actor Stuck: FlowStep {
    func proceed(_ order: Order, context: StepContext) async throws -> Order {
      _ = try await context.ask(AddressForm(order: order))
      return order
    }
    func backUp(context: RollbackContext) throws { throw Rejected() }
  }

  @Test("a host that has stopped takes no answer, and says when to come again")
  func stopped() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let page = await site.get("/flows/\(id)")
    try await site.host.shutDown()
    let refused = await site.post(
      "/flows/\(id)/questions/1", page.questionFields + [("street", "Main St 1"), ("city", "Bern")])
    #expect(refused.status == 503 && refused.headers["Retry-After"] == "5")
    #expect(await site.get("/flows/\(id)").status == 200)
  }

  @Test(
    "an error of the store has the status of its code, and only a fault of the service hides its message",
    arguments: [
      (FlowStoreError.Code.conflict, 503), (.fenced, 503), (.leased, 503), (.notFound, 404), (.corrupted, 500),
      (.unsupportedFormat, 503), (.tooLarge, 413), (.outcomeUnknown, 503), (.unavailable, 503), (.locked, 503),
      (.misplaced, 500),
    ])
  func storeErrors(code: FlowStoreError.Code, status: Int) async throws {
    var site = try await TestSite()
    let id = try await site.started()
    let store = FaultyStore(site.store) { $0.operation == .load ? .fail(code) : nil }
    site.site = try await OpenShop.site(FlowHost(store: store, clock: site.clock))
    let reply = try await site.getJSON("/flows/\(id)")
    #expect(reply.status == status && reply["code"] == "\(code)")
    #expect(reply["detail"]?.contains("a test lets the store fail") == (status < 500))
    #expect((reply.response.headers["Retry-After"] != nil) == (status == 503))
    let page = await site.get("/flows/\(id)")
    #expect(page.status == status && !page.text.contains("a test lets the store fail"))
  }

  @Test("each error of a flow has the status of its code, as JSON and as a page", arguments: FlowError.Code.all)
  func flowErrors(code: FlowError.Code) async throws {
    var site = try await TestSite()
    let id = try await site.started()
    site.site = try await OpenShop.site(
      FlowHost(store: site.store, clock: site.clock),
      allow: { verb, _, _ in if verb == .look { throw FlowError(code, "a test refuses the look") } })
    let reply = try await site.getJSON("/flows/\(id)")
    #expect(reply.status == code.httpStatus && reply["code"] == "\(code)")
    #expect(reply["detail"]?.contains("a test refuses the look") == (code.httpStatus < 500))
    let page = await site.get("/flows/\(id)", headers: ["Accept-Language": "de"])
    #expect(page.status == code.httpStatus)
    #expect(page.text.contains("<h1>Die Daten wurden entfernt</h1>") == [.erased, .redacted].contains(code))
  }

  @Test("one of two open forms is refused: its values come back, and the other one is as before")
  func twoQuestions() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let both = Flow("both") {
      Parallel {
        Step("left") { (order: Order, context: StepContext) in try await context.ask(AddressForm(order: order)).city }
        Step("right") { (order: Order, context: StepContext) in try await context.ask(AddressForm(order: order)).city }
      } join: { left, right in
        left + right
      }
    }
    let flows = try await host.register(both)
    var site = FlowSite(host: host, title: "Both", authenticate: { _ in nil }, allow: { _, _, _ in })
    try site.serve(withoutStarting: flows)
    try site.form(AddressForm.self, title: { "To \($0.order.item)" })
    try await flows.start(id: "one", with: Order(item: "tea", quantity: 1))
    let view = try await host.flow("one").settled()
    #expect(view.questions.count == 2)
    let second = view.questions[1].id
    func post(_ values: [(String, String)]) async -> WebResponse {
      await site.respond(
        to: WebRequest(
          method: "POST", target: "/flows/one/questions/\(second.number)",
          headers: ["Content-Type": "application/x-www-form-urlencoded"],
          body: Array(
            TestSite.form([("_question", second.description), ("_prompt", AddressForm.promptName)] + values).utf8)))
    }
    let refused = await post([("street", "x"), ("city", "Bern")])
    #expect(refused.status == 422)
    #expect(refused.text.contains("name=\"city\" id=\"q\(second.number)-city\""))
    #expect(
      refused.text.ranges(of: "value=\"Bern\"").count == 1 && refused.text.ranges(of: "role=\"alert\"").count == 1)
    #expect(await post([("street", "Main St"), ("city", "Bern")]).status == 303)
    #expect(try await host.flow("one").settled().questions.map(\.id) == [view.questions[0].id])
  }

  @Test("a question without a form is answered by JSON, under its key as well when it is closed")
  func withoutForm() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let talk = Flow("talk") {
      Step("ask") { (order: Order, context: StepContext) in try await context.ask(AddressForm(order: order)) }
      Step("wait") { (address: Address, context: StepContext) in
        _ = try await context.wait(for: paid)
        return address
      }
    }
    let talks = try await host.register(talk, stores: .signal(paid))
    var site = FlowSite(host: host, title: "Talk", authenticate: { _ in nil }, allow: { _, _, _ in })
    try site.serve(withoutStarting: talks)
    try await talks.start(id: "one", with: Order(item: "tea", quantity: 1))
    _ = try await host.flow("one").settled()
    let page = await site.respond(to: WebRequest(method: "GET", target: "/flows/one"))
    #expect(page.text.contains("This question cannot be answered on this page.") && page.hidden("_question") == nil)
    func send(_ body: String) async throws -> Reply {
      try Reply(
        await site.respond(
          to: WebRequest(
            method: "POST", target: "/flows/one/questions/1",
            headers: [
              "Content-Type": "application/json", "Idempotency-Key": "\"0123456789abcdef\"",
              "Accept": "application/json",
            ], body: Array(body.utf8))))
    }
    let json = try Reply(
      await site.respond(to: WebRequest(method: "GET", target: "/flows/one", headers: ["Accept": "application/json"])))
    let question = try #require(json["questions.0.question"])
    #expect(try await send(#"{"question":"\#(question)"}"#).status == 422)
    let answer = #"{"question":"\#(question)","answer": {"street":"a, \"b\" }","city":"]"} ,"revision":1}"#
    for _ in 0..<2 { #expect(try await send(answer).status == 200) }
    #expect(try await send(answer.replacing("]", with: "x")).status == 422)
    _ = try await host.flow("one").send(1, to: paid, key: "k")
    let output = try #require(try await host.flow("one").settled().output)
    #expect(String(decoding: output, as: UTF8.self) == #"{"city":"]","street":"a, \"b\" }"}"#)
  }

  @Test(
    "the representation follows the client's preference",
    arguments: [
      ("application/json", false), ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
      ("", true),
      ("*/*", true), ("application/json;q=0.4, text/html;q=0.3", false), ("text/*, application/json;q=0.9", true),
      ("application/problem+json", false), ("text/html;q=0, */*", false),
    ])
  func representation(accept: String, isHTML: Bool) async throws {
    let site = try await TestSite()
    let response = await site.get("/flows/nothing", as: "staff", accept: accept)
    #expect(response.status == 404)
    #expect(response.headers["Content-Type"] == (isHTML ? "text/html; charset=utf-8" : "application/problem+json"))
  }

  @Test("a flow without an input is started by a button, and one without an output has a last page as well")
  func withoutInput() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let tick = Flow<Void, Void>("tick tock") { Step("wait") { (_: Void) in () } }
    let ticks = try await host.register(tick)
    var site = FlowSite(host: host, title: "Clock", authenticate: { _ in nil }, allow: { _, _, _ in })
    try site.serve(ticks, labels: { _ in ["kind": "clock"] }, finished: { "<p>It is over.</p>" })
    #expect(throws: FlowError.self) { try site.serve(withoutStarting: ticks) }
    let home = await site.respond(to: WebRequest(method: "GET", target: "/"))
    #expect(home.text.contains("<a href=\"/start/tick%20tock\">Tick tock</a>"))
    let form = await site.respond(to: WebRequest(method: "GET", target: "/start/tick%20tock"))
    let started = await site.respond(
      to: WebRequest(
        method: "POST", target: try #require(form.action),
        headers: ["Content-Type": "application/x-www-form-urlencoded"],
        body: Array("_key=\(try #require(form.hidden("_key")))".utf8)))
    let path = try #require(started.headers["Location"])
    #expect(started.status == 303)
    #expect(await site.respond(to: WebRequest(method: "GET", target: path)).text.contains("<p>It is over.</p>"))
    let json = try Reply(
      await site.respond(to: WebRequest(method: "GET", target: path, headers: ["Accept": "application/json"])))
    #expect(json["status"] == "finished" && json.value("output") == nil)
    // Without a body, as a program does.
    let again = await site.respond(
      to: WebRequest(method: "POST", target: "/flows/tick%20tock", headers: ["Accept": "application/json"]))
    #expect(again.status == 201)
  }

  @Test("a HEAD has the status and the headers of the GET, and no body")
  func head() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    for part in ["", "/events", "/diagram"] {
      let response = await site.site.respond(
        to: WebRequest(method: "HEAD", target: "/flows/\(id)\(part)", headers: ["Cookie": "session=ann"]))
      #expect(response.status == 200 && response.bytes.isEmpty)
      if case .events = response.body { Issue.record("a stream as the body of a HEAD") }
    }
  }

  @Test("without a sign-in a person gets a link to it")
  func signIn() async throws {
    var site = try await TestSite()
    site.site.stylesheets = ["/shop.css?\""]
    site.site.signInPath = "/login?x=\"1\""
    let page = await site.get("/", as: "expired")
    #expect(page.status == 401 && page.text.contains("<a href=\"/login?x=&quot;1&quot;\">Sign in</a>"))
    #expect(page.text.contains("<link rel=\"stylesheet\" href=\"/shop.css?&quot;\">"))
    #expect(try await site.getJSON("/tasks", as: "expired")["code"] == "notSignedIn")
  }
}
