import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Testing

@Suite("Stale and double requests", .timeLimit(.minutes(15))) struct StaleTests {
  private static let address = [("street", "Main St 1"), ("city", "Bern")]

  @Test("a form that is sent twice from one window gets the same reply, and answers once")
  func doubleClick() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let page = await site.get("/flows/\(id)")
    async let first = site.post("/flows/\(id)/questions/1", page.questionFields + Self.address)
    async let second = site.post("/flows/\(id)/questions/1", page.questionFields + Self.address)
    for response in await [first, second] {
      #expect(response.status == 303 && response.headers["Location"] == "/flows/\(id)")
    }
    let history = try await site.host.flow(FlowID(id)).history()
    #expect(history.count { $0.what == "answered" } == 1)
    let other = await site.post(
      "/flows/\(id)/questions/1", page.questionFields + [("street", "Other St"), ("city", "x")])
    #expect(other.status == 422)
  }

  @Test(
    "two windows: the second answer gets 409 with the page as it is now, and what comes next is not for this person")
  func twoWindows() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let (first, second) = (await site.get("/flows/\(id)"), await site.get("/flows/\(id)"))
    #expect(await site.post("/flows/\(id)/questions/1", first.questionFields + Self.address).status == 303)
    let late = await site.post("/flows/\(id)/questions/1", second.questionFields + Self.address)
    #expect(late.status == 409)
    #expect(
      late.text.contains("This has changed meanwhile.") && late.text.contains("Waiting for the answer of another"))
    let json = try await site.postJSON(
      "/flows/\(id)/questions/1",
      #"{"question":"\#(try #require(second.hidden("_question")))","answer":{"street":"Main","city":"x"}}"#)
    #expect(json.status == 409 && json["code"] == "questionClosed")
    #expect(json.value("page.questions.0.isAsked") as? Bool == false && json["page.questions.0.question"] == nil)
  }

  @Test("a start form that is sent twice at once starts one flow, and one of another window another flow")
  func doubleStart() async throws {
    let site = try await TestSite()
    let (first, second) = (await site.get("/start/order"), await site.get("/start/order"))
    func start(_ page: WebResponse, _ item: String = "teapot") async -> WebResponse {
      await site.post("/flows/order", [("_key", page.hidden("_key") ?? ""), ("item", item), ("quantity", "1")])
    }
    async let one = start(first)
    async let other = start(first)
    let path = await one.headers["Location"]
    #expect(await one.status == 303 && path != nil)
    #expect(await other.headers["Location"] == path)
    #expect(await start(second).headers["Location"] != path)
    #expect(await start(first, "kettle").status == 422)
  }

  @Test("a stale back moves nothing")
  func staleBack() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    try await site.answerAddress(id)
    let page = await site.get("/flows/\(id)", as: "staff")
    let question = try #require(page.hidden("_question"))
    let approved = try await site.postJSON(
      "/flows/\(id)/questions/2", #"{"question":"\#(question)","answer":"approve"}"#, as: "staff")
    #expect(approved.status == 200)
    let revision = approved.number("revision")
    let back = await site.post("/flows/\(id)/back", [("_question", question)], as: "staff")
    #expect(back.status == 409)
    let old = await site.post("/flows/\(id)/back", [("_revision", "1")], as: "staff")
    #expect(old.status == 409)
    #expect(try await site.host.flow(FlowID(id)).view().revision.number == revision)
  }

  @Test("an answer to an earlier revision of a prompt gets 409, with what was typed")
  func staleRevision() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let page = await site.get("/flows/\(id)")
    let fields = page.questionFields.map { $0.0 == "_revision" ? ($0.0, "7") : $0 }
    let stale = await site.post("/flows/\(id)/questions/1", fields + [("street", "Typed St 9"), ("city", "Bern")])
    #expect(stale.status == 409 && stale.text.contains("value=\"Typed St 9\""))
    #expect(stale.hidden("_revision") == "1")
  }

  @Test(
    "wrong values for a question that is closed get 409 with the page, and another answer under a used key stays 422")
  func staleValues() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let page = await site.get("/flows/\(id)")
    #expect(await site.post("/flows/\(id)/questions/1", page.questionFields + Self.address).status == 303)
    let closed = await site.post("/flows/\(id)/questions/1", page.questionFields + [("street", ""), ("city", "")])
    #expect(closed.status == 409 && closed.text.contains("This has changed meanwhile."))
    #expect(closed.text.ranges(of: "role=\"alert\"").count == 1)
    let reused = await site.post(
      "/flows/\(id)/questions/1", page.questionFields + [("street", "Other St"), ("city", "x")])
    #expect(reused.status == 422 && reused.text.contains("This cannot be taken"))
    let json = try await site.postJSON(
      "/flows/\(id)/questions/1",
      #"{"question":"\#(try #require(page.hidden("_question")))","answer":{"street":"Main"}}"#)
    #expect(json.status == 409 && json["code"] == "questionClosed")
  }

  @Test("a message of the bank that comes twice is one payment; a forged one is not read")
  func signals() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    func send(_ body: String, _ signature: String, _ path: String = "payments") async -> WebResponse {
      await site.site.respond(
        to: WebRequest(
          method: "POST", target: "/signals/\(path)", headers: ["Signature": signature], body: Array(body.utf8)))
    }
    let notice = #"{"id":"n-1","order":"\#(id)","cents":1}"#
    #expect(await send(notice, "bad").status == 401)
    #expect(await send("not JSON", "bad").status == 401)
    #expect(await send("not JSON", "good").status == 422)
    #expect(await send(notice, "good", "other").status == 404)
    #expect(await send(#"{"id":"n-1","order":"nothing","cents":1}"#, "good").status == 404)
    #expect(await send(notice, "good").text == #"{"delivery":"accepted"}"#)
    #expect(await send(notice, "good").text == #"{"delivery":"duplicate"}"#)
    #expect(await send(#"{"id":"n-1","order":"\#(id)","cents":2}"#, "good").status == 422)
  }
}
