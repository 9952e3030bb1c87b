import ActorFlow
import ActorFlowHosting
import Foundation
import Testing

@testable import FlowOperator

@Suite("Changes", .timeLimit(.minutes(2))) struct ChangeTests {
  @Test("of one flow are made at once, and the history says by whom and why")
  func one() async throws {
    let shop = try await OperatedShop()
    shop.courier.isAway = true
    try await shop.deliver("a", "b")
    shop.courier.isAway = false
    try await shop.serve { terminal in
      #expect(await terminal("note", "a", "--text", "called the courier").out == ["a: suspended at delivery/send"])
      let retried = await terminal("retry", "a", "--reason", "the courier is back")
      #expect(retried.code == 0 && retried.out == ["a: waiting at delivery/sign"])
      #expect(await terminal("refresh", "a", "--reason", "new text").out == ["a: waiting at delivery/sign"])
      // Only the step in focus can be entered anew.
      #expect(await terminal("enter", "a", "send", "--input", #""Rue 2""#, "--reason", "moved").code == 1)
      #expect(await terminal("enter", "a", "sign", "--input", #""Rue 2""#, "--reason", "moved").code == 0)
      _ = try await shop.host.flow("a").settled(within: .seconds(60))
      let completed = await terminal("complete", "a", "sign", "--output", #""ann""#, "--reason", "by phone")
      #expect(completed.out == ["a: finished"])
      let history = await terminal("history", "a").text
      for text in ["operator", "called the courier", "the courier is back", "new text", "moved", "by phone"] {
        #expect(history.contains(text), "\(text)")
      }
      #expect(await terminal("redact", "a", "--reason", "ann asked").out == ["a: finished"])
      #expect(await !terminal("history", "a").text.contains("by phone"))
    }
  }

  @Test("assign a question to other people, if its prompt admits that and it is as the operator has seen it")
  func reassign() async throws {
    let shop = try await OperatedShop()
    try await shop.claim("expense-1")
    try await shop.deliver("d", answering: nil)
    try await shop.serve { terminal in
      let reassign = [
        "reassign", "expense-1", "--question", "1", "--to", "fay", "--to", "ben", "--reason", "mia is ill",
      ]
      let assigned = await terminal.run(reassign)
      #expect(assigned.code == 0 && assigned.out == ["expense-1: waiting at expense/decision"], "\(assigned.errors)")
      #expect(await terminal("tasks", "--assignee", "managers").out.isEmpty)
      #expect(await terminal("tasks", "--assignee", "fay").text.contains("fay, ben"))
      let history = await terminal("history", "expense-1").text
      #expect(history.contains("mia is ill") && history.contains("operator"))
      let late = await terminal.run(reassign + ["--revision", "0"])
      #expect(late.code == 1 && late.errors.contains("staleRevision"))
      let none = await terminal("reassign", "expense-1", "--question", "7", "--to", "ben", "--reason", "x")
      #expect(none.code == 1 && none.errors.contains("404 noSuchQuestion"))
      let fixed = await terminal("reassign", "d", "--question", "1", "--to", "ben", "--reason", "x")
      #expect(fixed.code == 1 && fixed.out.isEmpty && fixed.errors.contains("422 wrongPromptType"))
    }
  }

  @Test("move flows to the newest version that takes them: one at once, many after a dry run")
  func move() async throws {
    let shop = try await OperatedShop()
    try await shop.deliver("a", "b", "c", answering: nil)
    try await shop.host.register(OperatedShop.deliveries(shop.courier, endingWith: "seal"), version: 2, from: 1)
    try await shop.serve { terminal in
      func versions() async -> [Int?] {
        await terminal("list", "--json").out.compactMap { JSONValue($0.utf8) }.sorted {
          ($0["id"].text ?? "") < ($1["id"].text ?? "")
        }.map { $0["version"].count }
      }
      let plan = await terminal("move", "--definition", "delivery", "--flow-version", "1", "--reason", "over")
      #expect(plan.code == 0 && plan.errors.contains("3 flows would be changed. This was a dry run"))
      #expect(await versions() == [1, 1, 1])
      let one = await terminal("move", "a", "--reason", "the first")
      #expect(one.code == 0 && one.out == ["a: waiting at delivery/ask"], "\(one.errors)")
      #expect(await versions() == [2, 1, 1])
      let rest = await terminal(
        "move", "--definition", "delivery", "--flow-version", "1", "--reason", "over", "--apply")
      #expect(rest.code == 0 && rest.notes == ["move: 2 flows, 2 done, 0 failed"])
      #expect(await versions() == [2, 2, 2])
      #expect(await terminal("history", "b").text.contains("1 → 2"))
    }
  }

  @Test("call a failed `backUp` again")
  func compensate() async throws {
    let shop = try await OperatedShop()
    try await shop.deliver("a")
    shop.courier.isAway = true
    try await shop.serve { terminal in
      let abandoned = await terminal("abandon", "a", "--reason", "no longer wanted")
      #expect(abandoned.code == 1 && abandoned.errors.contains("rollbackFailed"))
      #expect(await terminal("list", "--rollback-failed").out.count == 2)
      #expect(await terminal("show", "a").text.contains("the courier is away"))
      #expect(await terminal("compensate", "a", "--reason", "again").code == 1)
      shop.courier.isAway = false
      let compensated = await terminal("compensate", "a", "--step", "delivery/send", "--reason", "is back")
      #expect(compensated.code == 0 && compensated.out == ["a: abandoned"])
      #expect(await terminal("list", "--rollback-failed").out.isEmpty)
    }
  }

  @Test("of many flows change nothing without --apply, and then the flows that were listed")
  func dryRun() async throws {
    let shop = try await OperatedShop()
    shop.courier.isAway = true
    try await shop.deliver("a", "b")
    shop.courier.isAway = false
    try await shop.deliver("c")
    var revisions: [String: Revision] = [:]
    for id in ["a", "b"] { revisions[id] = try await shop.host.flow(FlowID(id)).view().revision }
    let before = revisions
    try await shop.serve { terminal in
      for verb in [["retry"], ["abandon"], ["refresh"]] {
        let plan = await terminal.run(verb + ["--status", "suspended", "--reason", "over"])
        #expect(plan.code == 0 && plan.out.count == 3 && plan.out[1] == "a     suspended")
        #expect(plan.errors.contains("2 flows would be changed. This was a dry run"))
      }
      #expect(await terminal("note", "--all", "--text", "x", "--json").out.count == 3)
      for id in ["a", "b"] {
        let view = try await shop.host.flow(FlowID(id)).view()
        #expect(view.status == .suspended && view.revision == before[id])
      }
      let done = await terminal("retry", "--status", "suspended", "--reason", "is back", "--apply")
      #expect(done.code == 0 && done.out.count == 3 && done.out[1] == "a     suspended      done     -")
      #expect(done.notes == ["retry: 2 flows, 2 done, 0 failed"])
      let statuses = [try await shop.status(of: "a"), try await shop.status(of: "b")]
      #expect(statuses == [.waiting, .waiting])
    }
  }

  @Test("of many flows go on after a flow that refuses, and end with exit code 1")
  func partly() async throws {
    let shop = try await OperatedShop()
    shop.courier.isAway = true
    try await shop.deliver("a")
    shop.courier.isAway = false
    try await shop.deliver("b")
    try await shop.serve { terminal in
      let run = await terminal("retry", "--definition", "delivery", "--reason", "x", "--apply", "--json")
      #expect(run.code == 1 && run.errors.contains("2 flows, 1 done, 1 failed"))
      let outcomes = run.out.compactMap { JSONValue($0.utf8) }
      #expect(outcomes.first { $0["id"] == .text("a") }?["outcome"] == .text("done"))
      #expect(outcomes.first { $0["id"] == .text("b") }?["code"] == .text("notSuspended"))
    }
  }

  @Test("of many flows show their progress, and go on from a cursor")
  func pages() async throws {
    let shop = try await OperatedShop()
    for number in 0..<120 { try await shop.deliver("f-\(number)", answering: nil) }
    try await shop.serve { terminal in
      let part = await terminal("note", "--all", "--text", "x", "--apply", "--limit", "10", "--json")
      #expect(part.code == 0 && part.out.count == 10 && part.notes.first == "note: 10 flows, 10 done, 0 failed")
      let cursor = try #require(part.cursor)
      let rest = await terminal("note", "--all", "--text", "x", "--apply", "--after", cursor, "--json")
      #expect(rest.out.count == 110 && Set(part.out + rest.out).count == 120)
      #expect(rest.notes[0].hasPrefix("note: 100 flows, 100 done, 0 failed so far, up to --after '"))
    }
  }

  @Test("remove flows that have ended, after a dry run that removes none")
  func purge() async throws {
    let shop = try await OperatedShop()
    try await shop.deliver("a", "b", answering: nil)
    _ = try await shop.host.flow("a").abandon()
    try await shop.serve { terminal in
      let purge = ["purge", "--ended-before", "2100-01-01", "--reason", "retention"]
      let plan = await terminal.run(purge)
      #expect(plan.code == 0 && plan.out == ["FLOW  STATUS", "a     abandoned"])
      let status = try await shop.status(of: "a")
      #expect(status == .abandoned)
      let done = await terminal.run(purge + ["--apply", "--json"])
      #expect(done.code == 0 && JSONValue(done.text.utf8)?["outcome"] == .text("done"))
      #expect(await terminal("list", "--json").out.count == 1)
    }
  }
}
