import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation

// Looks of people who do nothing: an inbox, its counts, the backlog, and the news of a page that was away for a while.
extension HostGame {
  /// Compares what people see of the flow with its view.
  mutating func lookAround(_ view: FlowView) async throws {
    guard looking?.percent(40) == true else { return }
    try await lookIntoInbox(view)
    try await lookAtBacklog(view)
    try await readNews()
    try await followChanges(view)
    let moves = try await tester.history(of: HostArena.id).filter { $0.what == "moved" }.compactMap(\.detail)
    let expected = moves.indices.map { $0.isMultiple(of: 2) ? "1 → 2" : "2 → 1" }
    try expectEqual(moves, expected, "the moves between the versions")
    try expect(mayMove || moves.isEmpty, "a flow has moved that the second version did not admit")
    try expectEqual(view.version, moves.count.isMultiple(of: 2) ? 1 : 2, "the version")
  }

  private func lookIntoInbox(_ view: FlowView) async throws {
    let host = arena.host
    let asked = view.questions.map(\.id.description).sorted()
    for order in TaskQuery.Order.allCases {
      let listed = try await host.tasks(TaskQuery(order: order)).tasks.map(\.task.question)
      try expectEqual(listed.sorted(), asked, "the inbox in the order \(order)")
      let shown = try await host.questions(TaskQuery(order: order)).questions
      try expectEqual(shown.map(\.task.question), listed, "the inbox with prompts in the order \(order)")
      for entry in shown {
        let question = try entry.question.get()
        let own = view.questions.first { $0.id == question.id }
        try expectEqual(question.json, own?.json, "the prompt in the inbox")
        try expectEqual(question.assignees, own?.assignees, "the people of the prompt in the inbox")
      }
    }
    for people in [["player"], ["p1", "player"], ["p2", "p3"], []] {
      let query = TaskQuery(assignees: people)
      let theirs = view.questions.filter { !Set($0.assignees).isDisjoint(with: people) }.map(\.id.description)
      let listed = try await host.tasks(query).tasks.map(\.task.question)
      try expectEqual(listed.sorted(), theirs.sorted(), "the inbox of \(people)")
      try expectEqual(try await host.count(query), theirs.count, "the number of questions of \(people)")
    }
    try expectEqual(try await host.count(TaskQuery()), asked.count, "the number of questions")
  }

  private func lookAtBacklog(_ view: FlowView) async throws {
    let backlog = try await arena.host.backlog()
    let left = [backlog.due, backlog.suspended, backlog.unmigrated, backlog.erased]
    try expectEqual(left, [0, model.fault == nil ? 0 : 1, 0, 0], "the backlog of a flow that is \(view.status)")
    let alike = try await arena.host.count(FlowQuery(status: [view.status]))
    try expectEqual(alike, 1, "the number of flows that are \(view.status)")
    let news = try await arena.host.flow(HostArena.id).changed(after: .none, within: .zero)
    try expectEqual(news?.revision, view.revision, "the revision of a page that knows none")
    let none = try await arena.host.flow(HostArena.id).changed(after: view.revision, within: .zero)
    try expect(none == nil, "a page is told of a change that there was not")
  }

  /// Reads the entries since the last look, as they come, and compares them with the history.
  private mutating func readNews() async throws {
    let history = try await tester.history(of: HostArena.id).filter { $0.sequence > seen }
    guard let last = history.last else {
      hasNews = false
      return
    }
    hasNews = true
    var news: [HistoryEntry] = []
    for try await entry in arena.host.flow(HostArena.id).news(after: seen) {
      news.append(entry)
      if entry.sequence >= last.sequence { break }
    }
    try expectEqual(news, history, "the news since \(seen)")
    seen = last.sequence
  }

  /// Goes on reading the changes of the store until the flow has come as it is now, if its history has grown.
  private mutating func followChanges(_ view: FlowView) async throws {
    guard hasNews, let store = followed?.store else { return }
    var patience = 1_000_000
    while true {
      let page = try await store.changed(FlowQuery(), after: followed?.cursor, limit: 1)
      followed?.cursor = page.cursor
      if let change = page.changes.first {
        try expectEqual(change.flow.revision, view.revision, "the revision of a change")
        return try expectEqual(change.flow.status, view.status, "the status of a change")
      }
      // A store may show changes late.
      patience -= 1
      try expect(patience > 0, "the change to revision \(view.revision) does not come")
      await Task.yield()
    }
  }

  /// Starts the flow as a server does that knows no types. A start with the value is the same as that.
  mutating func startAsJSON(trace: TraceContext) async throws {
    try await check(.startAsJSON, "start as JSON", "ok") { host, _ in
      try await host.start("f", id: HostArena.id, json: JSONEncoder().encode(Value()), trace: trace)
    }
  }

  /// Answers as a server does that knows no types, and before it from a page that is outdated.
  mutating func answerAsPage(
    _ question: Question.ID, with command: Command, expecting expected: String
  ) async throws {
    let json = try JSONEncoder().encode(command)
    if looking?.percent(30) == true {
      let shown = try await tester.view(of: HostArena.id).questions.first { $0.id == question }
      let stale = (shown?.revision ?? 0) - 1
      let refusal = await outcome {
        try await arena.host.flow(HostArena.id).answer(
          question, json: json, by: .player, revision: stale, key: arena.newKey())
      }
      try expect(refusal == "staleRevision" || crashTrigger.hasFired, "an answer of an outdated page was \(refusal)")
    }
    try await check(.answerAsJSON, "\(command) as JSON", expected) { host, key in
      try await host.flow(HostArena.id).answer(question, json: json, by: .player, key: key)
    }
  }

  /// Notes something at each flow that waits, as an operator does at many flows.
  mutating func noteAtEach(_ text: String) async throws {
    try await check(.each, "note at each", "ok") { host, key in
      let report = try await host.each(FlowQuery(status: [.waiting, .runnable, .suspended]), by: .player) { flow in
        try await flow.note(text, by: .player, key: key)
      }
      if let failed = report.failed.first { throw failed.error }
      try expect(report.isComplete && report.done == [HostArena.id], "a note at each flow has \(report)")
    }
  }

  /// Stops the host as a deployment does, and goes on with the next one.
  mutating func deployAnew() async throws {
    switch looking?.below(4) ?? 0 {
    case 0: break
    case 1: arena.world.releases(.takenBack)
    default:
      let admits = looking?.percent(60) == true
      arena.world.releases(.second(admits: admits))
      if admits { mayMove = true }
    }
    arm()
    try await unlessBlown { try await arena.host.shutDown() }
    let refusal = await outcome { _ = try await arena.host.flow(HostArena.id).note("late", by: .player) }
    try expect(refusal == "hostStopping" || crashTrigger.hasFired, "a request at a stopped host was \(refusal)")
    try await crash()
  }

  // MARK: Audited answers

  mutating func noteAudited(_ question: Question.ID, _ command: Command) async throws {
    guard arena.world.audits else { return }
    let asked = try await tester.view(of: HostArena.id).questions.first { $0.id == question }
    if asked?.prompt.hasSuffix("AuditedForm") == true { audited[question.debugDescription] = command }
  }

  /// Checks that the history has the answers to audited questions, and to no others.
  func checkAudited(_ history: [HistoryEntry]) throws {
    for entry in history where entry.what == "answered" {
      let answer = try entry.answer.map { try JSONDecoder().decode(Command.self, from: Data($0)) }
      let question = entry.detail ?? ""
      try expectEqual(answer.map { "\($0)" }, audited[question].map { "\($0)" }, "the audited answer to \(question)")
    }
  }
}
