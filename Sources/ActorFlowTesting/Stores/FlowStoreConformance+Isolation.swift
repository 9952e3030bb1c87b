import ActorFlow
import ActorFlowHosting

// Tasks that read, write and are cancelled at the same time.
extension FlowStoreConformance {
  static let isolation: [Check] = [
    Check("cancelling the task does not stop a write") { store in try await cancelling(store) },
    Check("a read sees one commit, and all of it") { store in try await whole(store) },
  ]

  private static func cancelling(_ store: CheckedStore) async throws {
    try await store.commit("deleted", .sample(), from: 0)
    let name = CommitID()
    let (cancelled, kept) = (StoreNote([1]), StoreNote([2]))
    // The first task is cancelled before it writes, the others at any moment.
    let errors = await withTaskGroup(of: String?.self) { group in
      group.addTask {
        withUnsafeCurrentTask { $0?.cancel() }
        return await error {
          try await store.commit("first", .sample(), from: 0, history: [.sample(1)])
          try await store.commit("first", .sample("2"), from: 1, as: name)
          try await store.store.delete("deleted", expecting: Revision(1), fence: nil)
          try await store.store.setNote(cancelled, under: "note", replacing: nil)
        }
      }
      for writer in 0..<32 {
        group.addTask {
          await error { try await store.commit(FlowID("writer \(writer)"), .sample(), from: 0, history: [.sample(1)]) }
        }
      }
      group.cancelAll()
      return await group.reduce(into: [String]()) { if let error = $1 { $0.append(error) } }
    }
    try store.expect(errors, [], "the errors of writes whose tasks were cancelled")
    let first = try await store.store.load("first")
    try store.expect(first?.revision, Revision(2), "the revision of the flow that a cancelled task wrote twice")
    try store.expect(
      try await store.commit("first", .sample("2"), from: 1, as: name), try store.some(first), "the flow after a retry")
    try await store.unchanged("deleted", nil, "the flow that a cancelled task deleted")
    try store.expect(try await store.store.note("note"), cancelled, "the note that a cancelled task wrote")
    try await store.store.setNote(kept, under: "note", replacing: cancelled)
    for writer in 0..<32 {
      let id = FlowID("writer \(writer)")
      try store.expect(try await store.store.load(id)?.revision, Revision(1), "the flow of the writer \(writer)")
      try store.expect(try await store.store.history(of: id, after: 0, limit: 9), [.sample(1)], "its history")
    }
  }

  private static func error(of writes: () async throws -> Void) async -> String? {
    do { try await writes() } catch { return "\(error)" }
    return nil
  }

  private static func numbered(_ number: Int) -> FlowSnapshot {
    .sample(
      "\(number)", definition: "\(number)", tasks: [.sample("q\(number)", for: "\(number)"), .sample("r\(number)")],
      labels: ["\(number)": "\(number)"], steps: [StepID("check/\(number)")])
  }

  private static func whole(_ store: CheckedStore) async throws {
    let count = 80
    let handle = try await store.secondHandle()
    try await store.commit("flow", numbered(1), from: 0, history: [.sample(1)])
    // A store in memory suspends no task, so each lets the others go on.
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 2...count {
          try await store.commit("flow", numbered(number), from: number - 1, history: [.sample(number)])
          await Task.yield()
        }
      }
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<count {
            try await look(at: handle)
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
    try await look(at: store)
  }

  private static func look(at store: CheckedStore) async throws {
    let history = try await store.store.history(of: "flow", after: 0, limit: 999).map(\.sequence)
    try store.expect(history, Array(0..<history.count).map { $0 + 1 }, "the history during writes")
    let flow = try store.some(try await store.store.load("flow"))
    try store.expect(flow.snapshot, numbered(flow.revision.number), "the snapshot of the revision \(flow.revision)")
    try store.expect(flow.revision.number >= history.count, "the flow is older than the history that was read before")
    let listed = try await store.store.list(FlowQuery(), after: nil, limit: 9).flows
    let summary = try store.some(listed.first)
    let snapshot = numbered(summary.revision.number)
    try store.expect(
      summary,
      FlowSummary(StoredFlow(id: "flow", revision: summary.revision, snapshot: snapshot, changedAt: summary.changedAt)),
      "the list during writes")
    try store.expect(summary.revision >= flow.revision, "the list is older than the flow that was read before")
    let tasks = try await store.store.tasks(TaskQuery(), after: nil, limit: 9).tasks
    let number = Int(tasks.first?.definition ?? "") ?? 0
    try store.expect(tasks.map(\.task), numbered(number).tasks, "the questions during writes")
    try store.expect(number >= summary.revision.number, "the questions are older than the list that was read before")
    let latest = try store.some(try await store.store.load("flow")).revision
    try store.expect(latest.number >= number, "the flow is older than the questions that were read before")
  }
}
