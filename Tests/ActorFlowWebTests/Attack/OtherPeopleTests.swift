import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Testing

@Suite("Other people", .timeLimit(.minutes(15))) struct OtherPeopleTests {
  @Test("no place of a flow tells another customer anything, not even that it exists")
  func looks() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    for part in ["", "/events", "/history", "/diagram"] {
      let theirs = try await site.getJSON("/flows/\(id)\(part)", as: "bob")
      let none = try await site.getJSON("/flows/nothing\(part)", as: "bob")
      #expect(theirs.status == 403 && none.status == 403)
      #expect(theirs["detail"] == none["detail"], "\(part)")
      #expect(try await site.getJSON("/flows/\(id)\(part)", as: nil).status == 403)
      #expect(try await site.getJSON("/flows/\(id)\(part)", as: "expired").status == 401)
    }
    for part in ["/questions/1", "/back", "/abandon"] {
      #expect(try await site.postJSON("/flows/\(id)\(part)", "{}", as: "bob").status == 403)
      #expect(try await site.postJSON("/flows/\(id)\(part)", "{}", as: "expired").status == 401)
    }
    #expect(try await site.getJSON("/flows/nothing", as: "staff").status == 404)
  }

  @Test("the host's own guard is asked as well")
  func hostGuard() async throws {
    var options = FlowHost.Options()
    options.access = { verb, principal, _ in
      if principal?.id == "eve" { throw Refusal.notAllowed("The host does not know you.") }
    }
    let host = try FlowHost(store: MemoryFlowStore(), options: options)
    let headers: WebHeaders = ["Content-Type": "application/json", "Authorization": "eve"]
    let open = try await OpenShop.site(host, authenticate: { _ in Principal(id: "eve") })
    let response = await open.respond(
      to: WebRequest(
        method: "POST", target: "/flows/order", headers: headers, body: Array(#"{"item":"x","quantity":1}"#.utf8)))
    #expect(response.status == 403 && response.text.contains("The host does not know you."))
  }

  @Test("a question that is for staff has no secret on a customer's page, and takes no answer from there")
  func secrets() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    try await site.answerAddress(id)
    let staff = try await site.getJSON("/flows/\(id)", as: "staff")
    let question = try #require(staff["questions.0.question"])
    let number = try #require(staff.number("questions.0.number"))
    let secret = try #require(question.split(separator: "~").last)
    for page in [await site.get("/flows/\(id)"), await site.get("/flows/\(id)", accept: "application/json")] {
      #expect(!page.text.contains(secret))
    }
    let stolen = try await site.postJSON(
      "/flows/\(id)/questions/\(number)", #"{"question":"\#(question)","answer":"approve"}"#)
    #expect(stolen.status == 403 && stolen["detail"] == "Only staff may approve.")
    let guessed = question.dropLast(4) + "0000"
    for wrong in ["\(guessed)", "\(id)/1/\(number)", "x/1/\(number)", "nonsense", ""] {
      let reply = try await site.postJSON(
        "/flows/\(id)/questions/\(number)", #"{"question":"\#(wrong)","answer":"approve"}"#, as: "staff")
      #expect(reply.status == 404 && reply["code"] == "noSuchQuestion", "\(wrong)")
    }
    let other = try await site.postJSON(
      "/flows/\(id)/questions/\(number + 1)", #"{"question":"\#(question)","answer":"approve"}"#, as: "staff")
    #expect(other.status == 404)
  }

  @Test("a key of one person means nothing for another")
  func keys() async throws {
    let site = try await TestSite()
    let first = try await site.postJSON("/flows/order", #"{"item":"a","quantity":1}"#, as: "ann", key: "k-1")
    let again = try await site.postJSON("/flows/order", #"{"quantity":1,"item":"a"}"#, as: "ann", key: "k-1")
    let other = try await site.postJSON("/flows/order", #"{"item":"b","quantity":1}"#, as: "bob", key: "k-1")
    #expect(first.status == 201 && again.status == 201 && other.status == 201)
    #expect(first["id"] == again["id"] && first["id"] != other["id"])
    let reused = try await site.postJSON("/flows/order", #"{"item":"b","quantity":1}"#, as: "ann", key: "k-1")
    #expect(reused.status == 422 && reused["code"] == "keyReused")
    let tricky = try await site.postJSON("/flows/order", #"{"item":"a","quantity":1}"#, as: "3 ann", key: "k-1")
    #expect(tricky["id"] != first["id"])
  }

  @Test("an anonymous client needs a key that cannot be guessed")
  func anonymousKeys() async throws {
    let open = try await OpenShop.site(FlowHost(store: MemoryFlowStore()))
    func start(_ key: String) async -> Int {
      await open.respond(
        to: WebRequest(
          method: "POST", target: "/flows/order",
          headers: ["Content-Type": "application/json", "Idempotency-Key": key],
          body: Array(#"{"item":"x","quantity":1}"#.utf8))
      ).status
    }
    #expect(await start("1") == 422)
    #expect(await start("0123456789abcdef") == 201)
    #expect(await start(String(repeating: "k", count: 257)) == 422)
  }
}
