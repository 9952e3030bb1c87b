import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Foundation
import Testing

@Suite("Operators change many flows", .timeLimit(.minutes(15))) struct AdminBulkTests {
  private func statuses(_ admin: AdminSite) async throws -> [String] {
    let reply = try await admin.get("/flows")
    return try #require(reply.value("flows") as? [[String: Any]]).compactMap { $0["status"] as? String }
  }

  @Test("without `apply` nothing changes, and the reply says which flows it would be")
  func dryRun() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    _ = try await admin.shop.started()
    let body = #"{"query":{"status":["suspended"]},"reason":"over"}"#
    for apply in ["", #","apply":false"#] {
      let reply = try await admin.post("/abandon", String(body.dropLast()) + apply + "}")
      #expect(reply.status == 200 && reply.value("applied") as? Bool == false)
      #expect(reply.number("matched") == 1 && reply["flows.0.id"] == id && reply["flows.0.outcome"] == "untouched")
    }
    #expect(Set(try await statuses(admin)) == ["suspended", "waiting"])
  }

  @Test("with `apply` each flow is changed, and a refusal stops no other")
  func apply() async throws {
    let admin = try await AdminSite()
    let suspended = try await admin.suspended()
    let waiting = try await admin.shop.started()
    let reply = try await admin.post("/retry", #"{"query":{"definition":"order"},"reason":"again","apply":true}"#)
    #expect(reply.value("applied") as? Bool == true && reply.number("matched") == 2 && reply.number("done") == 1)
    let flows = try #require(reply.value("flows") as? [[String: Any]])
    #expect(flows.first { $0["id"] as? String == suspended }?["outcome"] as? String == "done")
    #expect(flows.first { $0["id"] as? String == waiting }?["code"] as? String == "notSuspended")
    let abandoned = try await admin.post("/abandon", #"{"query":{},"reason":"over","apply":true}"#)
    #expect(abandoned.number("done") == 2)
    #expect(try await statuses(admin) == ["abandoned", "abandoned"])
  }

  @Test("a limit ends the operation, and its cursor goes on")
  func cursor() async throws {
    let admin = try await AdminSite()
    for _ in 0..<3 { _ = try await admin.shop.started() }
    let first = try await admin.post(
      "/note", #"{"query":{},"text":"seen","limit":2,"apply":true}"#, key: "notes-of-today")
    #expect(first.number("done") == 2 && first.value("isComplete") as? Bool == false)
    let cursor = try #require(first["cursor"])
    let second = try await admin.post(
      "/note", #"{"query":{},"text":"seen","cursor":"\#(cursor)","apply":true}"#, key: "notes-of-today")
    #expect(second.number("done") == 1 && second.value("isComplete") as? Bool == true)
  }

  @Test("a purge removes what has ended before a time, and nothing before that is asked for")
  func purge() async throws {
    let first = try await AdminSite()
    let ended = try await first.shop.started()
    let open = try await first.shop.started()
    _ = try await first.post("/flows/\(ended)/abandon", #"{"reason":"over"}"#)
    let admin = try await first.restarted()
    let body = #"{"query":{},"endedBefore":"2100-01-01T00:00:00Z"}"#
    let plan = try await admin.post("/purge", body)
    #expect(plan.number("matched") == 1 && plan["flows.0.id"] == ended)
    #expect(try await admin.get("/flows/\(ended)").status == 200)
    #expect(
      try await admin.post("/purge", #"{"query":{},"endedBefore":"1999-01-01","apply":true}"#).number("done") == 0)
    let done = try await admin.post("/purge", String(body.dropLast()) + #","apply":true}"#)
    #expect(done.number("done") == 1 && done["flows.0.id"] == ended)
    #expect(try await admin.get("/flows/\(ended)").status == 404)
    #expect(try await admin.get("/flows/\(open)").status == 200)
  }

  @Test("a request without a query, with a filter that is not known, or without a time is refused")
  func refusals() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    #expect(try await admin.post("/abandon", #"{"reason":"x","apply":true}"#)["errors.0.field"] == "query")
    let typo = try await admin.post("/abandon", #"{"query":{"defintion":"none"},"reason":"x","apply":true}"#)
    #expect(typo.status == 422)
    #expect(try await admin.post("/abandon", #"{"query":{},"apply":true}"#)["errors.0.field"] == "reason")
    #expect(try await admin.post("/purge", #"{"query":{},"apply":true}"#)["errors.0.field"] == "endedBefore")
    #expect(try await admin.post("/abandon", #"{"query":{},"reason":"x","limit":0,"apply":true}"#).status == 422)
    #expect(try await admin.post("/reassign", #"{"query":{},"reason":"x","apply":true}"#).status == 404)
    #expect(try await admin.get("/flows/\(id)")["flow.status"] == "suspended")
  }

  @Test("the site is asked for each flow of a bulk request")
  func rightsOfEach() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    var site = try await OpenShop.site(
      host, authenticate: { _ in Principal(id: "bo") },
      allow: { verb, flow, _ in
        if verb == .operate(.note), flow?.labels["region"] == "north" { throw Refusal.notAllowed("Not the north.") }
      })
    site.admin()
    for region in ["north", "south"] {
      try await host.start(
        "order", id: FlowID(region), json: Array(#"{"item":"x","quantity":1}"#.utf8), labels: ["region": region])
    }
    let reply = try Reply(
      await site.respond(
        to: WebRequest(
          method: "POST", target: "/admin/note", headers: ["Content-Type": "application/json"],
          body: Array(#"{"query":{},"text":"seen","apply":true}"#.utf8))))
    let outcomes = try #require(reply.value("flows") as? [[String: Any]])
    #expect(outcomes.first { $0["id"] as? String == "north" }?["code"] as? String == "notAllowed")
    #expect(outcomes.first { $0["id"] as? String == "south" }?["outcome"] as? String == "done")
  }
}
