import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Foundation
import Testing

@Suite("Operators look at flows", .timeLimit(.minutes(15))) struct AdminLookingTests {
  @Test("without `admin()` there is nothing below /admin, not even for staff")
  func off() async throws {
    let shop = try await TestSite()
    let id = try await shop.started()
    for path in ["/admin", "/admin/flows/\(id)", "/admin/counts", "/admin/plan"] {
      #expect(try await shop.getJSON(path, as: "staff-cleo").status == 404)
    }
    #expect(try await shop.postJSON("/admin/flows/\(id)/abandon", #"{"reason":"x"}"#, as: "staff-cleo").status == 404)
  }

  @Test("who is no operator is refused at every place, and who has not signed in gets 401")
  func rights() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    let looks = [
      "", "/flows", "/flows/\(id)", "/flows/\(id)/history", "/flows/\(id)/diagram", "/flows/none", "/tasks", "/plan",
      "/counts", "/export",
    ]
    for path in looks {
      for name in ["ann", "staff-bo"] { #expect(try await admin.get(path, as: name).status == 403, "\(path)") }
      #expect(try await admin.get(path, as: nil).status == 401, "\(path)")
    }
    for operation in FlowSite.Operation.allCases {
      let body = #"{"reason":"x","text":"x","query":{},"apply":true,"endedBefore":"2100-01-01"}"#
      for path in ["/flows/\(id)/\(operation.rawValue)", "/\(operation.rawValue)"] {
        let status = try await admin.post(path, body, as: "ann").status
        #expect([403, 404, 405].contains(status), "\(path): \(status)")
      }
    }
    #expect(try await admin.get("/flows/\(id)")["flow.status"] == "suspended")
  }

  @Test("the list is filtered and comes in pages")
  func list() async throws {
    let admin = try await AdminSite()
    let suspended = try await admin.suspended()
    var waiting: Set<String> = []
    for _ in 0..<3 { waiting.insert(try await admin.shop.started()) }
    var found: Set<String> = []
    var cursor = ""
    repeat {
      let page = try await admin.get("/flows?status=waiting&definition=order&limit=2\(cursor)")
      let ids = try #require(page.value("flows") as? [[String: Any]]).compactMap { $0["id"] as? String }
      #expect(ids.count <= 2)
      found.formUnion(ids)
      cursor = page["cursor"].map { "&cursor=\(TestSite.encoded($0))" } ?? ""
    } while !cursor.isEmpty
    #expect(found == waiting)
    for statuses in ["suspended,unmigrated", "unmigrated,%20suspended", "+suspended+,+"] {
      let failed = try await admin.get("/flows?status=\(statuses)&label=customer%3Dann")
      #expect(failed["flows.0.id"] == suspended && failed.value("flows.1") == nil, "\(statuses)")
    }
    #expect(try await admin.get("?step=approval").value("flows.0") != nil)
    #expect(try await admin.get("?label=customer%3Dbob").value("flows.0") == nil)
  }

  @Test("a filter that is not known is refused, because it would mean more flows")
  func unknownFilter() async throws {
    let admin = try await AdminSite()
    for filter in [
      "defintion=order", "status=asleep", "version=x", "label=customer", "changedBefore=soon", "rollbackFailed=1",
    ] {
      let reply = try await admin.get("/flows?\(filter)")
      #expect(reply.status == 422, "\(filter)")
      #expect(reply["errors.0.field"] == filter.split(separator: "=").first.map(String.init))
    }
    #expect(try await admin.get("/flows?cursor=nonsense").status == 400)
    #expect(try await admin.get("/flows?limit=0").status == 422)
  }

  @Test(
    "a flow is shown with its position, its failure, a drawing and its latest history, and without what people said")
  func show() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    let reply = try await admin.get("/flows/\(id)")
    #expect(reply["flow.status"] == "suspended" && reply["flow.steps.0"] == "order/approval")
    #expect(reply["flow.failure"]?.contains("Rejected") == true)
    #expect(reply["diagram"]?.contains("approval") == true)
    let last = try #require((reply.value("history") as? [[String: Any]])?.last)
    #expect(last["what"] as? String == "suspended")
    let open = try await admin.shop.started(item: "SECRET-ITEM")
    for path in ["/flows/\(open)", "/tasks", "/export", "/flows"] {
      let text = await admin.shop.get("/admin\(path)", as: "staff-cleo", accept: "application/json").text
      #expect(text.contains(open) || path == "/tasks", "\(path)")
      #expect(!text.contains("SECRET") && !text.contains("~"), "\(path)")
    }
    #expect(try await admin.get("/flows/none").status == 404)
  }

  @Test("the tasks come in pages whose cursors have no secret digits, each task once")
  func pagesOfTasks() async throws {
    let admin = try await AdminSite()
    for _ in 0..<4 { try await admin.shop.answerAddress(try await admin.shop.started()) }
    let questions = try await admin.shop.host.tasks().tasks.map(\.task.question)
    #expect(questions.count == 4)
    var found: [String] = []
    var cursor = ""
    repeat {
      let reply = try await admin.get("/tasks?limit=1\(cursor)")
      for question in questions {
        let digits = try #require(question.split(separator: "~").last)
        #expect(digits.count == 32 && !reply.response.text.contains(digits))
      }
      let flow = try #require(reply["tasks.0.flow"])
      found.append(flow)
      // The question at the cursor is closed before the next page.
      if found.count == 2 { _ = try await admin.post("/flows/\(flow)/abandon", #"{"reason":"over"}"#) }
      cursor = reply["cursor"].map { "&cursor=\(TestSite.encoded($0))" } ?? ""
    } while !cursor.isEmpty && found.count < 9
    #expect(found.count == 4 && Set(found).count == 4)
  }

  @Test("the history, the tasks of all people, the plan, the numbers and an export are there")
  func others() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    let history = try await admin.get("/flows/\(id)/history?limit=2")
    #expect(history["entries.0.what"] == "launched")
    let next = try #require(history.number("next"))
    #expect(try #require(try await admin.get("/flows/\(id)/history?after=\(next)").number("entries.0.sequence")) > next)
    let waiting = try await admin.shop.started()
    let view = try await admin.shop.getJSON("/flows/\(waiting)")
    _ = try await admin.shop.postJSON(
      "/flows/\(waiting)/questions/1",
      #"{"question":"\#(try #require(view["questions.0.question"]))","answer":{"street":"Main St 1","city":"Bern"}}"#)
    for assignee in ["staff", "bob,%20staff", "+staff+,"] {
      let tasks = try await admin.get("/tasks?assignee=\(assignee)")
      #expect(tasks["tasks.0.flow"] == waiting && tasks.number("tasks.0.number") == 2, "\(assignee)")
    }
    let plan = try await admin.get("/plan")
    #expect(plan.number("stay") == 2 && plan["lines.0"]?.contains("stay") == true)
    let counts = try await admin.get("/counts")
    #expect(counts.number("status.suspended") == 1 && counts.number("status.waiting") == 1)
    #expect(counts.value("isRunning") as? Bool == false)
    let export = await admin.shop.get("/admin/export?limit=1", as: "staff-cleo", accept: "application/json")
    let lines = export.text.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].contains("launched") && lines[1].contains("cursor"))
  }

  @Test("flows of a definition that the site does not serve are shown, without a drawing")
  func notServed() async throws {
    let admin = try await AdminSite()
    let flow = Flow("batch") {
      Step("wait") { (order: Order, context: StepContext) in try await context.wait(for: paid) }
    }
    try await admin.shop.host.register(flow, stores: .signal(paid)).start(
      id: "b", with: Order(item: "x", quantity: 1))
    _ = try await admin.shop.host.flow("b").settled()
    let reply = try await admin.get("/flows/b")
    #expect(reply["flow.signals.0"] == "paid" && reply["diagram"] == nil)
    #expect(try await admin.get("/flows/b/diagram").status == 404)
  }

  @Test("a browser gets a list with links, and the page of a flow with forms that work")
  func pages() async throws {
    let admin = try await AdminSite()
    let id = try await admin.suspended()
    let list = await admin.shop.get("/admin?status=suspended", as: "staff-cleo")
    #expect(list.status == 200 && list.text.contains("/admin/flows/\(id)"))
    let page = await admin.shop.get("/admin/flows/\(id)", as: "staff-cleo")
    #expect(page.text.contains("Rejected") && page.text.contains("/admin/flows/\(id)/retry"))
    let drawing = try #require(page.text.firstMatch(of: /<img src="([^"]+)"/)).1
    #expect(drawing.hasPrefix("/admin/flows/\(id)/diagram?"))
    let picture = await admin.shop.get(String(drawing), as: "staff-cleo")
    #expect(picture.headers["Content-Type"] == "image/svg+xml" && picture.text.contains("approval"))
    #expect(await admin.shop.get(String(drawing), as: "ann").status == 403)
    #expect(await admin.shop.get("/admin/flows/none/diagram", as: "staff-cleo").status == 404)
    let open = await admin.shop.get("/admin/flows/\(try await admin.shop.started())", as: "staff-cleo").text
    #expect(open.contains("/abandon\"") && !open.contains("/retry\""), "a flow that waits has nothing to retry")
    let sent = await admin.shop.post(
      "/admin/flows/\(id)/note", [("_key", try #require(page.hidden("_key"))), ("text", "<b>called</b>")],
      as: "staff-cleo")
    #expect(sent.status == 303 && sent.headers["Location"] == "/admin/flows/\(id)")
    let after = await admin.shop.get("/admin/flows/\(id)", as: "staff-cleo")
    #expect(after.text.contains("&lt;b&gt;called") && !after.text.contains("<b>called"))
  }
}
