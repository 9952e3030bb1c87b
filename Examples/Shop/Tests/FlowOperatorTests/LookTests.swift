import ActorFlow
import ActorFlowHosting
import Foundation
import Testing

@testable import FlowOperator

@Suite("Looks", .timeLimit(.minutes(2))) struct LookTests {
  @Test("list flows by filters, in columns or as lines of JSON")
  func list() async throws {
    let shop = try await OperatedShop()
    shop.courier.isAway = true
    try await shop.deliver("a 1")
    shop.courier.isAway = false
    try await shop.deliver("b", "c")
    try await shop.serve { terminal in
      let all = await terminal("list")
      #expect(all.code == 0 && all.out.count == 4 && all.notes.isEmpty)
      #expect(all.out[0].hasPrefix("FLOW  DEFINITION  STATUS     STEPS"))
      let suspended = await terminal("list", "--status", "suspended", "--step", "send")
      #expect(suspended.out.count == 2 && suspended.out[1].hasPrefix("a 1   delivery 1  suspended  delivery/send"))
      #expect(await terminal("list", "--status", "finished").out.isEmpty)
      let json = await terminal("list", "--json")
      #expect(json.out.compactMap { JSONValue($0.utf8)?["id"].text }.sorted() == ["a 1", "b", "c"])
      // A limit is a limit, and the cursor leads on.
      let first = await terminal("list", "--limit", "2", "--json")
      let cursor = try #require(first.cursor)
      let rest = await terminal("list", "--after", cursor, "--json")
      #expect(Set(first.out + rest.out).count == 3 && rest.out.count == 1 && rest.notes.isEmpty)
    }
  }

  @Test("show a flow with its question, its drawing as text and its history")
  func show() async throws {
    let shop = try await OperatedShop()
    try await shop.claim("expense-1")
    try await shop.serve { terminal in
      let shown = await terminal("show", "expense-1")
      #expect(shown.code == 0)
      #expect(shown.out.contains("  status       waiting") && shown.out.contains("  steps        expense/decision"))
      #expect(shown.out.contains { $0.hasPrefix("1         ") && $0.contains("managers") })
      #expect(shown.text.contains("flowchart") && shown.text.contains("launched"))
      let bare = await terminal("show", "expense-1", "--no-diagram")
      #expect(!bare.text.contains("flowchart") && bare.text.contains("launched"))
      let json = await terminal("show", "expense-1", "--json")
      #expect(json.out.count == 1 && JSONValue(json.out[0].utf8)?["flow"]["status"] == .text("waiting"))
      // The answer and the question's secret digits are not for operators.
      #expect(!shown.text.contains("12990") && !json.text.contains("~"))
    }
  }

  @Test("show the whole history, the open questions and the plan, in columns or as lines of JSON")
  func others() async throws {
    let shop = try await OperatedShop()
    try await shop.claim("expense-1")
    try await shop.deliver("d", answering: nil)
    try await shop.serve { terminal in
      let history = await terminal("history", "d")
      #expect(history.code == 0 && history.out[0].hasPrefix("ENTRY  TIME") && history.text.contains("asked"))
      let entries = await terminal("history", "d", "--json").out.compactMap { JSONValue($0.utf8)?["sequence"].count }
      #expect(entries.count == history.out.count - 1)
      let later = await terminal("history", "d", "--after", "\(entries.first ?? 0)", "--json")
      #expect(later.out.compactMap { JSONValue($0.utf8)?["sequence"].count } == Array(entries.dropFirst()))
      let tasks = await terminal("tasks")
      #expect(tasks.code == 0 && tasks.out.count == 3 && tasks.text.contains("managers"))
      #expect(await terminal("tasks", "--assignee", "finance").out.isEmpty)
      let managers = await terminal("tasks", "--assignee", "managers", "--json")
      let task = try #require(managers.out.first.flatMap { JSONValue($0.utf8) })
      #expect(task["flow"] == .text("expense-1") && task["number"] == .integer(1))
      let plan = await terminal("plan")
      #expect(plan.code == 0 && plan.text.contains("delivery"))
      #expect(JSONValue(await terminal("plan", "--json").text.utf8)?["stay"] == .integer(2))
      let counts = await terminal("watch", "--times", "1")
      #expect(counts.code == 0 && counts.out.count == 1 && counts.text.contains("waiting 2"))
      let json = await terminal("watch", "--times", "1", "--json", "--definition", "delivery")
      #expect(JSONValue(json.text.utf8)?["status"]["waiting"] == .integer(1))
    }
  }

  @Test("export all flows with their histories, page after page")
  func export() async throws {
    let shop = try await OperatedShop()
    try await shop.deliver("a", "b", "c", "d", "e")
    try await shop.serve { terminal in
      let lines = await terminal("export", "--page", "2")
      #expect(lines.code == 0 && lines.notes.last == "5 flows, done")
      let flows = lines.out.compactMap { JSONValue($0.utf8) }
      #expect(Set(flows.map { $0["flow"]["id"].text }) == ["a", "b", "c", "d", "e"])
      #expect(flows.allSatisfy { $0["history"].items.count > 2 })
      #expect(await terminal("export", "--status", "failure").out.isEmpty)
    }
  }

  @Test("do not let a text of the service reach the terminal as a command")
  func escapes() async throws {
    let shop = try await OperatedShop()
    try await shop.deliver("d", answering: nil)
    _ = try await shop.host.flow("d").note("red \u{1B}[31m\nand \u{202E}turned")
    try await shop.serve { terminal in
      let history = await terminal("history", "d")
      #expect(history.text.contains(#"red \u{1B}[31m and \u{202E}turned"#))
    }
  }
}

extension Terminal.Run {
  /// The cursor in the last note that has one.
  var cursor: String? {
    notes.last { $0.contains("--after '") }?.components(separatedBy: "--after '")[1].components(separatedBy: "'")[0]
  }
}
