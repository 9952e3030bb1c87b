import ActorFlow
import ActorFlowHosting
import Testing

/// A few writes of two flows, and the state that must hold after any of them failed.
struct StoreScript: Sendable {
  enum Write: Sendable {
    case commit(FlowID, Int)
    case delete(FlowID, Int)

    var id: FlowID {
      switch self {
      case .commit(let id, _), .delete(let id, _): id
      }
    }
  }

  static let long = FlowID(String(repeating: "a long id ", count: 60))
  static let writes: [Write] = [
    .commit("Flow/1", 1), .commit("Flow/1", 2), .commit(long, 1), .commit("Flow/1", 3), .commit(long, 2),
    .delete(long, 2), .commit(long, 1), .commit("Flow/1", 4), .commit("Flow/1", 5),
  ]

  static func perform(_ write: Write, on store: some FlowStore, as name: CommitID) async throws {
    switch write {
    case .commit(let id, let revision): try await store.commit(id, revision, as: name)
    case .delete(let id, let revision): try await store.delete(id, expecting: Revision(revision), fence: nil)
    }
  }

  /// The revisions after the first writes.
  static func revisions(after count: Int) -> [FlowID: Int] {
    var revisions: [FlowID: Int] = [:]
    for write in writes.prefix(count) {
      switch write {
      case .commit(let id, let revision): revisions[id] = revision
      case .delete(let id, _): revisions[id] = nil
      }
    }
    return revisions
  }

  /// Returns the revisions that the store has; each flow's snapshot, history, summary and tasks must have its revision.
  static func revisions(of store: some FlowStore) async throws -> [FlowID: Int] {
    var revisions: [FlowID: Int] = [:]
    for id in Set(writes.map(\.id)) {
      guard let flow = try await store.load(id) else {
        #expect(try await store.history(of: id, after: 0, limit: 99) == [])
        continue
      }
      let revision = flow.revision.number
      revisions[id] = revision
      #expect(flow.snapshot == .numbered(revision))
      #expect(try await store.history(of: id, after: 0, limit: 99) == (1...revision).map { .numbered($0) })
      #expect(
        try await store.tasks(TaskQuery(assignees: ["r\(revision)"]), after: nil, limit: 9).tasks.contains {
          $0.flow == id
        })
    }
    let listed = try await store.list(FlowQuery(), after: nil, limit: 99).flows
    #expect(Dictionary(uniqueKeysWithValues: listed.map { ($0.id, $0.revision.number) }) == revisions)
    let tasks = try await store.tasks(TaskQuery(), after: nil, limit: 99).tasks
    #expect(tasks.count == revisions.count)
    return revisions
  }

  /// Plays the script to its end, and repeats the first write under the name it was tried with.
  static func finish(from start: Int, on store: some FlowStore, as name: CommitID) async throws {
    for (number, write) in writes.enumerated().dropFirst(start) {
      do {
        try await perform(write, on: store, as: number == start ? name : CommitID())
      } catch let error as FlowStoreError where error.code == .notFound && number == start {
        // The delete was done before it failed.
      }
    }
    #expect(try await revisions(of: store) == revisions(after: writes.count))
  }
}
