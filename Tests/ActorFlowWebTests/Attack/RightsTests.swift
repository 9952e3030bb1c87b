import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Testing

@Suite("Each right for itself", .timeLimit(.minutes(15))) struct RightsTests {
  /// A site on which everything is allowed but some verbs, with an order that waits for its address.
  private func shop(
    without refused: @escaping @Sendable (FlowSite.Verb) -> Bool
  ) async throws -> (host: FlowHost, site: FlowSite, path: String) {
    let host = FlowHost(store: MemoryFlowStore())
    let site = try await OpenShop.site(
      host, authenticate: { _ in Principal(id: "bo", roles: ["staff"]) },
      allow: { verb, _, _ in if refused(verb) { throw Refusal.notAllowed("Not this.") } })
    let started = await site.respond(
      to: WebRequest(
        method: "POST", target: "/flows/order", headers: ["Content-Type": "application/json"],
        body: Array(#"{"item":"tea","quantity":1}"#.utf8)))
    return (host, site, try #require(started.headers["Location"]))
  }

  private func get(_ site: FlowSite, _ target: String, _ accept: String = "text/html") async -> WebResponse {
    await site.respond(to: WebRequest(method: "GET", target: target, headers: ["Accept": accept]))
  }

  private func answer(_ site: FlowSite, _ path: String, _ question: String) async -> WebResponse {
    await site.respond(
      to: WebRequest(
        method: "POST", target: "\(path)/questions/1", headers: ["Content-Type": "application/json"],
        body: Array(#"{"question":"\#(question)","answer":{"street":"Main St 1","city":"Bern"}}"#.utf8)))
  }

  @Test("who may look and not answer gets no secret and no form")
  func lookOnly() async throws {
    let (host, site, path) = try await shop { $0 == .answer }
    let id = FlowID(String(try #require(path.split(separator: "/").last)))
    let question = try #require(try await host.flow(id).view().questions.first?.id.description)
    let secret = try #require(question.split(separator: "~").last)
    for accept in ["text/html", "application/json"] {
      let response = await get(site, path, accept)
      #expect(response.status == 200 && !response.text.contains(secret))
    }
    #expect(await answer(site, path, question).status == 403)
  }

  @Test("who may answer and not look gets no page, not even in place of an outdated one")
  func answerOnly() async throws {
    let (host, site, path) = try await shop { $0 == .look }
    let id = FlowID(String(try #require(path.split(separator: "/").last)))
    let question = try #require(try await host.flow(id).view().questions.first?.id.description)
    #expect(await get(site, path).status == 403)
    let answered = await answer(site, path, question)
    #expect(answered.status == 200 && answered.text == #"{"id":"\#(id)"}"#)
    let late = await answer(site, path, question)
    #expect(late.status == 409 && !late.text.contains("\"page\""))
  }

  @Test("a flow that may not be seen is in no list of tasks")
  func lists() async throws {
    let isHidden = Lock(false)
    let (_, site, path) = try await shop { verb in verb == .look && isHidden.withLock { $0 } }
    let page = await get(site, path)
    let question = try #require(page.hidden("_question"))
    #expect(await answer(site, path, question).status == 200)
    #expect(await get(site, "/tasks").text.contains(path))
    isHidden.withLock { $0 = true }
    #expect(await !get(site, "/tasks").text.contains(path))
  }

  @Test("flows of a definition that the site does not serve do not exist for it")
  func notServed() async throws {
    let (host, site, _) = try await shop { _ in false }
    let secret = Flow("secret") {
      Step("ask") { (order: Order, context: StepContext) in try await context.wait(for: paid) }
    }
    try await host.register(secret, stores: .signal(paid)).start(id: "one", with: Order(item: "x", quantity: 1))
    for part in ["", "/history", "/diagram", "/events"] {
      #expect(await get(site, "/flows/one\(part)").status == 404)
    }
    var signals = site
    try signals.signal(paid, at: "paid", verify: { _ in }) { _ in SignalMessage(flow: "one", key: "k", value: 1) }
    let sent = await signals.respond(to: WebRequest(method: "POST", target: "/signals/paid"))
    #expect(sent.status == 404)
    #expect(try await host.flow("one").view().status != .finished)
  }

  @Test("a fault of the service says nothing of itself")
  func faults() async throws {
    struct Leak: Error { var password = "hunter2" }
    let host = FlowHost(store: MemoryFlowStore())
    var site = FlowSite(host: host, title: "Shop", authenticate: { _ in nil }, allow: { _, _, _ in })
    try site.serve(try await host.register(order), startedBy: Order.self) { _, _ in throw Leak() }
    let failed = await site.respond(
      to: WebRequest(
        method: "POST", target: "/flows/order", headers: ["Content-Type": "application/json"],
        body: Array(#"{"item":"tea","quantity":1}"#.utf8)))
    #expect(failed.status == 500 && !failed.text.contains("hunter2") && !failed.text.contains("Leak"))
  }

  @Test("a stream does not go on with another flow of the same id")
  func newFlow() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let orders = try await host.register(order)
    var site = FlowSite(host: host, title: "Shop", authenticate: { _ in nil }, allow: { _, _, _ in })
    try site.serve(orders)
    try await orders.start(id: "one", with: Order(item: "a", quantity: 1))
    let response = await get(site, "/flows/one/events")
    guard case .events(let events) = response.body else {
      Issue.record("no stream")
      return
    }
    var stream = events.makeAsyncIterator()
    _ = await stream.next()
    try await host.flow("one").delete()
    try await orders.start(id: "one", with: Order(item: "b", quantity: 1))
    #expect(await stream.next() == nil)
  }
}
