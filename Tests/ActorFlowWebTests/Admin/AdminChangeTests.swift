import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Foundation
import Testing

@Suite("Operators change flows", .timeLimit(.minutes(15))) struct AdminChangeTests {
  private func history(_ admin: AdminSite, _ id: String) async throws -> [[String: Any]] {
    let reply = try await admin.get("/flows/\(id)/history")
    return try #require(reply.value("entries") as? [[String: Any]])
  }

  @Test("each verb names the operator and the reason in the history")
  func verbs() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    // The step reads its answer again, so the retry fails as the step did.
    let retried = try await admin.post("/flows/\(id)/retry", #"{"reason":"the server is back"}"#)
    #expect(retried.status == 200 && retried["status"] == "suspended")
    let placed = #"{"order":{"item":"pot","quantity":1},"address":{"street":"Main St 1","city":"Bern"}}"#
    let completed = try await admin.post(
      "/flows/\(id)/complete", #"{"step":"approval","output":\#(placed),"reason":"approved by phone"}"#)
    #expect(completed["steps.0"] == "order/payment" && completed["signals.0"] == "paid")
    #expect(try await admin.post("/flows/\(id)/note", #"{"text":"called the customer"}"#).status == 200)
    let entries = try await history(admin, id)
    for what in ["retried", "noted"] {
      #expect(entries.first { $0["what"] as? String == what }?["by"] as? String == "staff-cleo", "\(what)")
    }
    #expect(entries.contains { ($0["detail"] as? String)?.contains("approved by phone") == true })
    let abandoned = try await admin.post("/flows/\(id)/abandon", #"{"reason":"given up"}"#)
    #expect(abandoned["status"] == "abandoned")
    #expect(try await admin.post("/flows/\(id)/redact", #"{"reason":"asked to"}"#).value("isRedacted") as? Bool == true)
    let facts = try await history(admin, id)
    #expect(facts.contains { $0["what"] as? String == "redacted" && $0["by"] as? String == "staff-cleo" })
    #expect(!facts.contains { ($0["detail"] as? String)?.contains("customer") == true })
  }

  @Test("an exported flow is brought in and waits for a retry; what is none is refused, and so is one that is there")
  func imported() async throws {
    let (admin, other) = (try await AdminSite(), try await AdminSite())
    let id = try await admin.suspended()
    let line = try await admin.shop.host.flow(FlowID(id)).export().line
    let reply = try await other.post("/import", #"{"flow":\#(line),"reason":"the old site is off"}"#)
    #expect(reply.status == 200 && reply["status"] == "suspended" && reply["id"] == id)
    let entry = try #require(try await history(other, id).last)
    #expect(entry["what"] as? String == "imported" && entry["by"] as? String == "staff-cleo")
    #expect(entry["detail"] as? String == "the old site is off")
    #expect(try await other.post("/import", #"{"flow":\#(line),"reason":"again"}"#)["code"] == "alreadyStarted")
    for flow in ["{}", "1", #"{"id":"x","content":"AAAA"}"#] {
      let reply = try await other.post("/import", #"{"flow":\#(flow),"reason":"x"}"#)
      #expect(reply.status == 422 && reply["errors.0.field"] == "flow", "\(flow)")
    }
    #expect(try await other.post("/import", #"{"flow":\#(line)}"#)["errors.0.field"] == "reason")
    #expect(try await other.post("/import", #"{"reason":"x"}"#)["errors.0.field"] == "flow")
    #expect(try await other.get("/import").status == 405)
  }

  @Test("a flow is moved to the version that is registered now, alone or with all that match")
  func moved() async throws {
    let admin = try await AdminSite()
    let store = admin.shop.store
    let old = FlowHost(store: store)
    let asking = Flow("asking") {
      Step("ask") { (order: Order, context: StepContext) in try await context.ask(Vote(assignees: [])) }
    }
    let flows = try await old.register(asking)
    for id in ["m1", "m2", "m3"] {
      try await flows.start(id: FlowID(id), with: Order(item: "ann", quantity: 1))
      _ = try await old.flow(FlowID(id)).settled()
    }
    try await old.shutDown()
    try await admin.shop.host.register(asking, version: 2, from: 1)
    let moved = try await admin.post("/flows/m1/move", #"{"reason":"deployed"}"#)
    #expect(moved.status == 200 && moved.value("version") as? Int == 2)
    let query = #"{"query":{"definition":"asking"},"reason":"deployed","apply":true}"#
    #expect(try await admin.post("/move", query).value("done") as? Int == 3)
    for id in ["m1", "m2", "m3"] {
      #expect(try await history(admin, id).count { $0["what"] as? String == "movedByHand" } == 1)
    }
  }

  @Test("a question is assigned to others by its number, and they can answer it")
  func reassign() async throws {
    let admin = try await AdminSite()
    let ballot = Flow("ballot") {
      Step("vote") { (order: Order, context: StepContext) in try await context.ask(Vote(assignees: [order.item])) }
    }
    try await admin.shop.host.register(ballot).start(id: "v", with: Order(item: "ann", quantity: 1))
    _ = try await admin.shop.host.flow("v").settled()
    let reply = try await admin.post(
      "/flows/v/reassign", #"{"question":1,"assignees":["bob","cy"],"reason":"ann is away"}"#)
    #expect(reply.status == 200 && reply["questions.0.assignees.1"] == "cy")
    #expect(
      try await admin.post("/flows/v/reassign", #"{"question":9,"assignees":["bob"],"reason":"x"}"#).status == 404)
    let entry = try await history(admin, "v").first { $0["what"] as? String == "reassigned" }
    #expect((entry?["detail"] as? String)?.contains("ann is away") == true)
  }

  @Test("operators' mistakes are refused with the reason, and not as a fault of the service")
  func mistakes() async throws {
    let admin = try await AdminSite()
    let id = try await admin.shop.started()
    let nobody = try await admin.post("/flows/\(id)/reassign", #"{"question":1,"assignees":[],"reason":"x"}"#)
    #expect(nobody.status == 422 && nobody["errors.0.field"] == "assignees")
    let fixed = try await admin.post("/flows/\(id)/reassign", #"{"question":1,"assignees":["bob"],"reason":"x"}"#)
    #expect(fixed.status == 422 && fixed["detail"]?.contains("ReassignablePrompt") == true)
  }

  private struct Vote: ReassignablePrompt, Codable {
    typealias Answer = String
    static let promptName = "Vote"
    var assignees: [String]
  }

  @Test("a request without the reason, or with values of other types, is refused and names the value")
  func refusals() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    for operation in ["retry", "abandon", "refresh", "redact", "compensate"] {
      for body in ["{}", #"{"reason":"  "}"#] {
        let reply = try await admin.post("/flows/\(id)/\(operation)", body)
        #expect(reply.status == 422 && reply["errors.0.field"] == "reason", "\(operation)")
      }
    }
    #expect(try await admin.post("/flows/\(id)/note", "{}")["errors.0.field"] == "text")
    #expect(try await admin.post("/flows/\(id)/retry", #"{"reason":"a\u0000"}"#)["errors.0.field"] == "reason")
    #expect(try await admin.post("/flows/\(id)/complete", #"{"reason":"x"}"#)["errors.0.field"] == "step")
    #expect(try await admin.post("/flows/\(id)/reassign", #"{"reason":"x","question":"one"}"#).status == 422)
    #expect(try await admin.post("/flows/\(id)/complete", #"{"reason":"x","step":"none","output":1}"#).status != 500)
    #expect(try await admin.post("/flows/\(id)/plan", "{}").status == 404)
    #expect(try await admin.get("/flows/\(id)")["flow.status"] == "suspended")
    #expect(try await admin.post("/flows/none/retry", #"{"reason":"x"}"#).status == 404)
    #expect(try await admin.get("/flows/\(id)/retry").status == 405)
    #expect(try await admin.post("/flows/\(id)/redact", #"{"reason":"x"}"#)["code"] == "notEnded")
  }

  @Test("a value that the operation does not know is refused with the names that it knows, in JSON and in forms")
  func unknownValues() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    let bodies: [(path: String, body: String, name: String)] = [
      ("/flows/\(id)/abandon", #"{"reason":"x","rolingBack":false}"#, "rolingBack"),
      ("/flows/\(id)/retry", #"{"reason":"x","labels":["customer"]}"#, "labels"),
      ("/flows/\(id)/redact", #"{"reason":"x","label":["customer"]}"#, "label"),
      ("/flows/\(id)/note", #"{"text":"x","apply":true}"#, "apply"),
      ("/abandon", #"{"query":{},"reason":"x","aply":true}"#, "aply"),
      ("/abandon", #"{"query":{},"reason":"x","apply":true,"rollback":false}"#, "rollback"),
    ]
    for (path, body, name) in bodies {
      let reply = try await admin.post(path, body)
      #expect(reply.status == 422 && reply["errors.0.field"] == name, "\(path)")
    }
    let typo = try await admin.post("/flows/\(id)/abandon", #"{"reason":"x","rolingBack":false}"#)
    #expect(typo["detail"]?.contains("there are reason, rollingBack") == true)
    for (name, value) in [("rolingBack", "false"), ("rollingBack", "no"), ("revision", "1")] {
      let form = await admin.shop.post(
        "/admin/flows/\(id)/abandon", [("reason", "x"), (name, value)], as: "staff-cleo",
        headers: ["Accept": "application/json"])
      let reply = try Reply(form)
      #expect(reply.status == 422 && reply["errors.0.field"] == name)
    }
    #expect(try await admin.get("/flows/\(id)")["flow.status"] == "suspended")
  }

  @Test("a form has the same values as JSON, with one of several on each line")
  func forms() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    let values = [("reason", "over"), ("rollingBack", "false"), ("_key", "0123456789abcdef"), ("_csrf", "x")]
    #expect(await admin.shop.post("/admin/flows/\(id)/abandon", values, as: "staff-cleo").status == 303)
    let redaction = [
      ("reason", "asked to"), ("labels", "customer\r\nregion"), ("principals", "staff-bo\r\nMiller, Ann"),
    ]
    #expect(await admin.shop.post("/admin/flows/\(id)/redact", redaction, as: "staff-cleo").status == 303)
    let flow = try await admin.get("/flows/\(id)")
    #expect(flow.value("flow.isRedacted") as? Bool == true && flow["flow.labels.customer"] == "ann")
    let people = Set(try await history(admin, id).compactMap { $0["by"] as? String })
    #expect(people.contains("staff-bo") && !people.contains("ann"))
  }

  @Test("a request under one key is done once, and another under the key is refused")
  func keys() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    for _ in 0..<2 {
      #expect(try await admin.post("/flows/\(id)/note", #"{"text":"once"}"#, key: "note-1").status == 200)
    }
    #expect(try await history(admin, id).count { $0["detail"] as? String == "once" } == 1)
    #expect(try await admin.post("/flows/\(id)/note", #"{"text":"other"}"#, key: "note-1")["code"] == "keyReused")
  }

  @Test("a page of another site changes nothing")
  func crossSite() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    let response = await admin.shop.post(
      "/admin/flows/\(id)/abandon", [("reason", "x")], as: "staff-cleo", headers: ["Sec-Fetch-Site": "cross-site"])
    #expect(response.status == 403)
    #expect(try await admin.get("/flows/\(id)")["flow.status"] == "suspended")
  }
}
