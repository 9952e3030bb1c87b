import ActorFlow
import ActorFlowHosting

extension FlowStoreConformance {
  static let racing: [Check] = [
    Check("one of 64 concurrent writers on two handles wins") { store in
      for round in 0..<4 {
        let base = try await store.commit(FlowID("flow \(round)"), .sample("base"), from: 0)
        let winners = try await race(64, store, from: base)
        try store.expect(winners.count, 1, "how many of 64 commits from one revision were done")
        let stored = try await store.store.load(base.id)
        try store.expect(stored, winners.first, "the winner's flow")
        try await store.unchanged(base.id, winners.first, "after the race")
        let history = try await store.store.history(of: base.id, after: 0, limit: 99).map(\.what)
        try store.expect(
          history, [winners.first.map { String(decoding: $0.snapshot.body, as: UTF8.self) }], "the history")
      }
    },
    Check("one of 64 concurrent creators wins") { store in
      let none = StoredFlow(id: "flow", revision: .none, snapshot: .sample(), changedAt: store.time(0))
      let winners = try await race(64, store, from: none)
      try store.expect(winners.count, 1, "how many of 64 creates were done")
      try await store.unchanged("flow", winners.first, "after the race")
    },
    Check("a counter of 8 × 25 loses none") { store in
      try await store.commit("flow", .sample("0"), from: 0)
      let handles = [store, try await store.secondHandle()]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<8 {
          let handle = handles[writer % 2]
          group.addTask { for _ in 0..<25 { try await increment(handle) } }
        }
        try await group.waitForAll()
      }
      let stored = try await store.store.load("flow")
      try store.expect(stored.map { String(decoding: $0.snapshot.body, as: UTF8.self) }, "200", "the counter")
      try store.expect(stored?.revision, Revision(201), "the revision")
    },
    Check("keyset paging under concurrent insert and delete") { store in try await paging(store) },
  ]

  /// Returns what the commits of the winners returned.
  private static func race(_ count: Int, _ store: CheckedStore, from base: StoredFlow) async throws -> [StoredFlow] {
    let handles = [store, try await store.secondHandle()]
    return try await withThrowingTaskGroup(of: StoredFlow?.self) { group in
      for writer in 0..<count {
        let handle = handles[writer % 2]
        group.addTask {
          do {
            return try await handle.commit(
              base.id, .sample("writer \(writer)", tasks: [.sample("q", for: "writer \(writer)")]),
              from: base.revision.number, history: [.sample(1, "writer \(writer)")])
          } catch let error as FlowStoreError where error.code == .conflict {
            return nil
          }
        }
      }
      return try await group.reduce(into: []) { if let won = $1 { $0.append(won) } }
    }
  }

  private static func increment(_ store: CheckedStore) async throws {
    while true {
      guard let flow = try await store.store.load("flow"),
        let count = Int(String(decoding: flow.snapshot.body, as: UTF8.self))
      else { throw store.failure("the counter cannot be read") }
      do {
        try await store.commit("flow", .sample("\(count + 1)"), from: flow.revision.number)
        return
      } catch let error as FlowStoreError where error.code == .conflict {
        continue
      }
    }
  }

  private static func paging(_ store: CheckedStore) async throws {
    let kept = (0..<30).map { "kept \($0 * 7 % 100)" }
    let gone = (0..<30).map { "gone \($0)" }
    for name in kept + gone {
      try await store.commit(FlowID(name), .sample(tasks: [.sample("q", for: "ann")]), from: 0)
    }
    // Between two pages, other flows are added and deleted, on both sides of the page's end.
    var flows: [String] = []
    var tasks: [String] = []
    var cursors: (flows: String?, tasks: String?)
    for turn in 0..<200 {
      if turn == 0 || cursors.flows != nil {
        let page = try await store.store.list(FlowQuery(), after: cursors.flows, limit: 4)
        flows += page.flows.map(\.id.description)
        cursors.flows = page.cursor
      }
      if turn == 0 || cursors.tasks != nil {
        let page = try await store.store.tasks(TaskQuery(assignees: ["ann"]), after: cursors.tasks, limit: 3)
        tasks += page.tasks.map(\.flow.description)
        cursors.tasks = page.cursor
      }
      if cursors.flows == nil && cursors.tasks == nil { break }
      if turn < gone.count {
        try await store.store.delete(FlowID(gone[turn]), expecting: Revision(1), fence: nil)
        try await store.commit(
          FlowID("new \(turn * 37 % 100)"), .sample(tasks: [.sample("q", for: "ann")]), from: 0)
        try await store.commit(FlowID("a new \(turn)"), .sample(tasks: [.sample("q", for: "ann")]), from: 0)
      }
    }
    try store.expect(cursors.flows == nil && cursors.tasks == nil, "a short list has no end after 200 pages")
    for (what, names) in [("flows", flows), ("tasks", tasks)] {
      try store.expect(Set(names).count, names.count, "the number of different \(what) on the pages")
      let missed = Set(kept).subtracting(names)
      try store.expect(missed.isEmpty, "pages of \(what) miss \(missed.sorted()), which existed all the time")
    }
  }
}
