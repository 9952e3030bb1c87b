import ActorFlow
import ActorFlowHosting

// Readers that follow the changes of all flows.
extension FlowStoreConformance {
  /// The longest time that a check waits for the next change, which a store may show late. Under load a check may get
  /// few turns in that time, so it also looks a hundred times in vain.
  @TaskLocal package static var patience = Duration.seconds(20)

  static let changing: [Check] = [
    Check("changed flows come in the order of their latest commits", needs: [.changes]) { store in
      var reader = ChangeReader(store)
      for id in ["b", "a", "c"] { try await change(FlowID(id), in: store, from: 0) }
      try store.expect(try await reader.read(3), ["b 1", "a 1", "c 1"], "the changes of new flows")
      for revision in 1...2 { try await change("b", in: store, from: revision) }
      try await change("a", in: store, from: 1)
      try store.expect(try await reader.read(2), ["b 3", "a 2"], "the changes since, of which one flow has two")
      try await store.commit("a", .sample("2"), from: 2)
      try store.expect(try await reader.read(1), ["a 3"], "the change of a commit without entries for the history")
      try await change("a", in: store, from: 3)
      try store.expect(try await reader.read(1), ["a 4"], "the change after that")
      for limit in [1, 2] {
        var pages = ChangeReader(store, limit: limit)
        try store.expect(try await pages.read(3), ["c 1", "b 3", "a 4"], "all flows in pages of \(limit)")
      }
    },
    Check("changes after the last one are those to come", needs: [.changes]) { store in
      try await change("a", in: store, from: 0)
      var reader = ChangeReader(store)
      _ = try await reader.read(1)
      // The store shows this change now, so it is not behind the last one.
      reader.cursor = try await store.store.lastChange()
      // The empty text is an id, and comes before all others.
      try await change("", in: store, from: 0)
      try store.expect(try await reader.read(1), [" 1"], "the changes after the last one")
      try await change("b", in: store, from: 0)
      try store.expect(try await reader.read(1), ["b 1"], "the changes after those")
      try store.expect(
        try await store.store.changed(FlowQuery(), after: reader.cursor, limit: 9).changes.count, 0,
        "how many changes there are behind the last one")
    },
    Check("changes are those that match, and the cursor passes over the others", needs: [.changes]) { store in
      try await change("a", in: store, from: 0)
      try await store.commit("done", .sample(status: .finished), from: 0, history: [.sample(1)])
      try await change("b", in: store, from: 0)
      var all = ChangeReader(store)
      _ = try await all.read(3)
      let query = FlowQuery(status: [.finished])
      var reader = ChangeReader(store, query)
      try store.expect(try await reader.read(1), ["done 1"], "the changes of finished flows")
      try await change("c", in: store, from: 0)
      // Once one reader has seen it, another one passes over it.
      _ = try await all.read(1)
      let rest = try await store.store.changed(query, after: reader.cursor, limit: 9)
      try store.expect(rest.changes.count, 0, "how many other flows have finished")
      // The cursor is behind the flow that does not match.
      let others = try await store.store.changed(FlowQuery(), after: rest.cursor, limit: 9)
      try store.expect(others.changes.count, 0, "how many changes there are behind all that were looked at")
    },
    Check("the deletion of the flow that has changed last hides no later change", needs: [.changes]) { store in
      for id in ["a", "b"] { try await change(FlowID(id), in: store, from: 0) }
      var reader = ChangeReader(store)
      _ = try await reader.read(2)
      try await store.store.delete("b", expecting: Revision(1), fence: nil)
      try await change("a", in: store, from: 1)
      try store.expect(try await reader.read(1), ["a 2"], "the changes after a deletion")
      try await store.store.delete("a", expecting: Revision(2), fence: nil)
      try await change("a", in: store, from: 0)
      try store.expect(try await reader.read(1), ["a 1"], "the changes after a flow with its id was deleted")
    },
    Check("a foreign cursor of changes is refused", needs: [.changes]) { store in
      try await change("a", in: store, from: 0)
      for cursor in ["\u{1}x", "", "1:a", "1:1"] {
        try await store.refused(.notFound, what: "the cursor '\(cursor)'") {
          _ = try await store.store.changed(FlowQuery(), after: cursor, limit: 9)
        }
      }
    },
    Check("a reader of changes misses none of 16 writers on two handles", needs: [.changes]) { store in
      try await followWriters(store)
    },
    Check("the cursor of a change is valid when the store is opened again", needs: [.changes, .reopening]) { store in
      for id in ["a", "b"] { try await change(FlowID(id), in: store, from: 0) }
      var reader = ChangeReader(store)
      _ = try await reader.read(2)
      try await change("a", in: store, from: 1)
      try await store.store.delete("b", expecting: Revision(1), fence: nil)
      let again = try await store.reopened()
      reader = reader.on(again)
      try again.expect(try await reader.read(1), ["a 2"], "the changes since, after reopening")
      try await again.store.delete("a", expecting: Revision(2), fence: nil)
      let last = try await again.reopened()
      reader = reader.on(last)
      try await change("c", in: last, from: 0)
      try last.expect(try await reader.read(1), ["c 1"], "the changes after the latest flow was deleted, and reopening")
    },
  ]

  @discardableResult
  private static func change(_ id: FlowID, in store: CheckedStore, from revision: Int) async throws -> StoredFlow {
    if store.harness.isInParts { try await store.advance(by: .milliseconds(1)) }
    return try await store.commit(id, .sample("\(revision)"), from: revision, history: [.sample(revision + 1)])
  }

  /// Follows writers that create, change and delete flows, with a reader that goes on from cursor to cursor.
  private static func followWriters(_ store: CheckedStore) async throws {
    let other = try await store.secondHandle()
    var reader = ChangeReader(store, limit: 3)
    var seen: [FlowID: Revision] = [:]
    try await withThrowingTaskGroup { group in
      for writer in 0..<16 {
        group.addTask {
          let handle = writer.isMultiple(of: 2) ? store : other
          for round in 0..<4 {
            let id = FlowID("\(writer)")
            for revision in 0..<3 { try await change(id, in: handle, from: revision) }
            if round < 3 { try await handle.store.delete(id, expecting: Revision(3), fence: nil) }
          }
        }
      }
      // While they write, and until all was seen.
      for _ in 0..<40 { try await reader.readPage { seen[$0.id] = $0.revision } }
      try await group.waitForAll()
    }
    let flows = try await store.allFlows()
    let expected = Dictionary(uniqueKeysWithValues: flows.map { ($0.id, $0.revision) })
    try await reader.read { flow in
      if let flow { seen[flow.id] = flow.revision }
      return seen == expected
    }
    try store.expect(seen, expected, "the flows that a reader of changes knows")
  }
}

/// Reads changes from cursor to cursor.
private struct ChangeReader {
  private let store: CheckedStore
  private let query: FlowQuery
  private let limit: Int
  var cursor: String?
  init(_ store: CheckedStore, _ query: FlowQuery = FlowQuery(), limit: Int = 9) {
    (self.store, self.query, self.limit) = (store, query, limit)
  }

  func on(_ store: CheckedStore) -> ChangeReader {
    var reader = ChangeReader(store, query, limit: limit)
    reader.cursor = cursor
    return reader
  }

  /// Reads until this number of flows has come, each as its id and revision. A store may show a flow again that has not
  /// changed: each revision counts once.
  mutating func read(_ count: Int) async throws -> [String] {
    var found: [String] = []
    try await read { flow in
      if let text = flow.map({ "\($0.id) \($0.revision.number)" }), !found.contains(text) { found.append(text) }
      return found.count >= count
    }
    return found
  }

  /// Reads until `body` returns true. It gets each flow, and `nil` for a page without flows.
  mutating func read(_ body: (FlowSummary?) -> Bool) async throws {
    var (start, looks) = (ContinuousClock.now, 0)
    var isOver = body(nil)
    while !isOver, looks < 100 || start.duration(to: .now) < FlowStoreConformance.patience {
      looks += 1
      try await readPage { flow in
        (start, looks) = (.now, 0)
        if body(flow) { isOver = true }
      }
      if body(nil) { isOver = true }
      await Task.yield()
    }
  }

  /// Reads a page, and goes on behind it or, at times, behind a flow of it.
  mutating func readPage(_ body: (FlowSummary) -> Void) async throws {
    let page = try await store.store.changed(query, after: cursor, limit: limit)
    try store.expect(page.changes.count <= limit, "a page has \(page.changes.count) flows; \(limit) were asked for")
    let ids = page.changes.map(\.flow.id)
    try store.expect(Set(ids).count == ids.count, "a page has a flow twice")
    for change in page.changes {
      body(change.flow)
      cursor = change.cursor
    }
    // Behind the last flow there is nothing else on a page that is full.
    if page.changes.count < limit { cursor = page.cursor }
  }
}
