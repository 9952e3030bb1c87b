import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Codecs with a key for each person, and redactions, need this of a store.
extension FlowStoreConformance {
  static let redacting: [Check] = [
    Check("the reference of a key is kept with the flow") { store in
      var snapshot = FlowSnapshot.sample("one")
      snapshot.keyReference = "key 17"
      try await store.unchanged("keyed", try await store.written("keyed", snapshot, from: 0), "with a key reference")
      let plain = try await store.written("plain", .sample("two"), from: 0)
      try await store.unchanged("plain", plain, "without a key reference, beside one with it")
    },
    Check("a write that replaces the history leaves its own entries, and only of its flow", needs: [.replacing]) {
      store in
      try await fill(store)
      try await replace(store)
      try await expectReplaced(store)
    },
    Check("a refused write replaces no history", needs: [.replacing]) { store in
      try await fill(store)
      let before = try await store.store.history(of: "flow", after: 0, limit: 99)
      try await store.refused(.conflict, what: "a stale write that replaces the history") {
        try await replace(store, from: 1)
      }
      try store.expect(
        try await store.store.history(of: "flow", after: 0, limit: 99), before, "the history after a refused write")
    },
    Check("a history that was replaced stays so when the store is opened again", needs: [.replacing, .reopening]) {
      store in
      try await fill(store)
      try await replace(store)
      try await expectReplaced(try await store.reopened())
    },
  ]

  private static func entry(_ number: Int, _ detail: String?, _ store: CheckedStore) -> HistoryEntry {
    HistoryEntry(sequence: number, at: Date(timeIntervalSince1970: 1_700_000_000), what: "noted", detail: detail)
  }

  private static func fill(_ store: CheckedStore) async throws {
    for revision in 0..<3 {
      for id: FlowID in ["flow", "other"] {
        try await store.commit(
          id, .sample("\(revision)"), from: revision,
          history: [entry(2 * revision + 1, "said", store), entry(2 * revision + 2, "said", store)])
      }
    }
  }

  private static func replace(_ store: CheckedStore, from revision: Int = 3) async throws {
    _ = try await store.store.commit(
      FlowWrite(
        .sample("redacted"), to: "flow", expecting: Revision(revision),
        appending: (1...7).map { entry($0, nil, store) }, replacingHistory: true))
  }

  private static func expectReplaced(_ store: CheckedStore) async throws {
    let all = try await store.store.history(of: "flow", after: 0, limit: 99)
    try store.expect(all, (1...7).map { entry($0, nil, store) }, "the history after it was replaced")
    let page = try await store.store.history(of: "flow", after: 4, limit: 2)
    try store.expect(page.map(\.sequence), [5, 6], "a page of it")
    try await store.commit("flow", .sample("later"), from: 4, history: [entry(8, "later", store)])
    let last = try await store.store.history(of: "flow", after: 6, limit: 99)
    try store.expect(last.map(\.detail), [nil, "later"], "its end after another write")
    let other = try await store.store.history(of: "other", after: 0, limit: 99)
    try store.expect(other.map(\.detail), Array(repeating: "said", count: 6), "the history of another flow")
  }
}
