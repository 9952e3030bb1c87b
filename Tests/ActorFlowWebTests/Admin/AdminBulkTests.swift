import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import ActorFlowWeb
import Foundation
import Synchronization
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
    let admin = try await AdminSite()
    let ended = try await admin.shop.started()
    let open = try await admin.shop.started()
    _ = try await admin.post("/flows/\(ended)/abandon", #"{"reason":"over"}"#)
    let body = #"{"query":{},"endedBefore":"2100-01-01T00:00:00Z","reason":"a year old"}"#
    let plan = try await admin.post("/purge", body)
    #expect(plan.number("matched") == 1 && plan["flows.0.id"] == ended)
    #expect(try await admin.get("/flows/\(ended)").status == 200)
    let early = #"{"query":{},"endedBefore":"1999-01-01","reason":"x","apply":true}"#
    #expect(try await admin.post("/purge", early).number("done") == 0)
    let waiting = #"{"query":{"status":"waiting"},"endedBefore":"2100-01-01","reason":"x","apply":true}"#
    #expect(try await admin.post("/purge", waiting)["errors.0.field"] == "query.status")
    let done = try await admin.post("/purge", String(body.dropLast()) + #","apply":true}"#)
    #expect(done.number("done") == 1 && done["flows.0.id"] == ended && done["flows.0.status"] == "abandoned")
    #expect(done.value("isComplete") as? Bool == true)
    #expect(try await admin.get("/flows/\(ended)").status == 404)
    #expect(try await admin.get("/flows/\(open)").status == 200)
  }

  @Test("a request without a query, with a filter that is not known, or without a time is refused")
  func refusals() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    #expect(try await admin.post("/abandon", #"{"reason":"x","apply":true}"#)["errors.0.field"] == "query")
    let typo = try await admin.post("/abandon", #"{"query":{"defintion":"none"},"reason":"x","apply":true}"#)
    #expect(typo.status == 422 && typo["errors.0.field"] == "defintion")
    #expect(try await admin.post("/abandon", #"{"query":{},"apply":true}"#)["errors.0.field"] == "reason")
    #expect(try await admin.post("/purge", #"{"query":{},"apply":true}"#)["errors.0.field"] == "endedBefore")
    let silent = #"{"query":{},"endedBefore":"2100-01-01","apply":true}"#
    #expect(try await admin.post("/purge", silent)["errors.0.field"] == "reason")
    let form = await admin.shop.post("/admin/abandon", [("query", "{}"), ("reason", "x")], as: "staff-cleo")
    #expect(form.status == 415)
    #expect(try await admin.post("/abandon", #"{"query":{},"reason":"x","limit":0,"apply":true}"#).status == 422)
    #expect(try await admin.post("/reassign", #"{"query":{},"reason":"x","apply":true}"#).status == 404)
    #expect(try await admin.get("/flows/\(id)")["flow.status"] == "suspended")
  }

  @Test("the site is asked for each flow of a bulk request, also if nothing is to change")
  func rightsOfEach() async throws {
    let regions = try await Regions()
    let plan = try await regions.post("note", #"{"query":{},"text":"seen"}"#)
    #expect(try regions.outcomes(plan) == ["north": "refused notAllowed", "south": "untouched", "west": "untouched"])
    #expect(plan.number("matched") == 3 && plan.number("done") == 0)
    let reply = try await regions.post("note", #"{"query":{},"text":"seen","apply":true}"#)
    #expect(try regions.outcomes(reply) == ["north": "failed notAllowed", "south": "done", "west": "done"])
  }

  @Test("a purge asks for each flow, goes on with its cursor, and names the operator and the reason to observers")
  func purgeOfEach() async throws {
    let regions = try await Regions()
    for region in Regions.all { try await regions.host.flow(FlowID(region)).abandon() }
    let body = #""query":{},"endedBefore":"2100-01-01","reason":"old""#
    let plan = try await regions.post("purge", "{\(body)}")
    #expect(try regions.outcomes(plan) == ["north": "refused notAllowed", "south": "untouched", "west": "untouched"])
    let first = try await regions.post("purge", #"{\#(body),"limit":2,"apply":true}"#)
    #expect(try regions.outcomes(first) == ["north": "failed notAllowed", "south": "done"])
    #expect(first.value("isComplete") as? Bool == false)
    let cursor = try #require(first["cursor"])
    let second = try await regions.post("purge", #"{\#(body),"cursor":"\#(cursor)","apply":true}"#)
    #expect(try regions.outcomes(second) == ["west": "done"])
    #expect(second.value("isComplete") as? Bool == true)
    #expect(regions.removals.seen == ["south by bo: old", "west by bo: old"])
    #expect(try await regions.host.list().flows.map(\.id) == ["north"])
  }

  @Test("a purge keeps a flow whose rollback failed, says so before, and its page has a form to retry it")
  func purgeOfFailed() async throws {
    let admin = try await AdminSite()
    let flow = Flow("stuck") {
      Step("undone") { Stuck() }
      Step("wait") { (order: Order, context: StepContext) in try await context.wait(for: paid) }
    }
    try await admin.shop.host.register(flow, stores: .signal(paid)).start(
      id: "s", with: Order(item: "x", quantity: 1))
    _ = try await admin.shop.host.flow("s").settled()
    _ = try await admin.post("/flows/s/abandon", #"{"reason":"over"}"#)
    let body = #""query":{"definition":"stuck"},"endedBefore":"2100-01-01","reason":"old""#
    let plan = try await admin.post("/purge", "{\(body)}")
    #expect(plan["flows.0.outcome"] == "refused" && plan["flows.0.code"] == "rollbackFailed")
    let reply = try await admin.post("/purge", #"{\#(body),"apply":true}"#)
    #expect(reply["flows.0.outcome"] == "failed" && reply["flows.0.code"] == "rollbackFailed")
    #expect(try await admin.get("/flows/s")["flow.status"] == "abandoned")
    let page = await admin.shop.get("/admin/flows/s", as: "staff-cleo").text
    #expect(page.contains("/admin/flows/s/retry") && !page.contains("/admin/flows/s/abandon"))
    #expect(!page.contains("<img"), "the site does not serve the definition")
  }

  @Test("an export goes on behind a flow that cannot be read, and names it")
  func exportOfDamaged() async throws {
    let admin = try await AdminSite()
    let (first, second) = (try await admin.shop.started(), try await admin.shop.started())
    let damaged = min(first, second)
    admin.shop.store.plan { call in
      call.operation == .history && call.id?.description == damaged
        ? .fail(FlowStoreError(.corrupted, "the history is damaged")) : nil
    }
    let export = await admin.shop.get("/admin/export", as: "staff-cleo", accept: "application/json")
    let lines = export.text.split(separator: "\n")
    #expect(export.status == 200 && lines.count == 2)
    #expect(
      lines.contains { $0.contains("\"code\":\"corrupted\"") && $0.contains(damaged) && !$0.contains("history\":[") })
  }

  private actor Stuck: FlowStep {
    func proceed(_ order: Order, context: StepContext) async throws -> Order {
      try await context.once("order") { _ in order }
    }
    func backUp(context: RollbackContext) throws { throw Rejected() }
  }
}

/// Flows of three regions, and an operator who may not treat those of the north.
private struct Regions {
  static let all = ["north", "south", "west"]
  let host: FlowHost
  let removals = Removals()
  private let site: FlowSite

  init() async throws {
    var options = FlowHost.Options()
    options.observers = [removals]
    host = try FlowHost(store: MemoryFlowStore(), options: options)
    var site = try await OpenShop.site(
      host, authenticate: { _ in Principal(id: "bo") },
      allow: { verb, flow, _ in
        if case .operate = verb, flow?.labels["region"] == "north" { throw Refusal.notAllowed("Not the north.") }
      })
    site.admin()
    self.site = site
    for region in Self.all {
      try await host.start(
        "order", id: FlowID(region), json: Array(#"{"item":"x","quantity":1}"#.utf8), labels: ["region": region])
      _ = try await host.flow(FlowID(region)).settled()
    }
  }

  func post(_ operation: String, _ json: String) async throws -> Reply {
    try Reply(
      await site.respond(
        to: WebRequest(
          method: "POST", target: "/admin/\(operation)", headers: ["Content-Type": "application/json"],
          body: Array(json.utf8))))
  }

  /// Returns the outcome of each flow with its code.
  func outcomes(_ reply: Reply) throws -> [String: String] {
    var outcomes: [String: String] = [:]
    for flow in try #require(reply.value("flows") as? [[String: Any]]) {
      let parts = ["outcome", "code"].compactMap { flow[$0] as? String }
      outcomes[try #require(flow["id"] as? String)] = parts.joined(separator: " ")
    }
    return outcomes
  }
}

/// Notes which flows were removed, by whom and why.
private final class Removals: HostObserver {
  private let notes = Mutex<[String]>([])

  var seen: [String] { notes.withLock { $0 }.sorted() }

  func observe(_ event: HostEvent) {
    guard case .removed(let by, let reason) = event.kind, let flow = event.flow else { return }
    notes.withLock { $0.append("\(flow) by \(by ?? "-"): \(reason)") }
  }
}
