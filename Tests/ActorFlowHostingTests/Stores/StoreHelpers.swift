import ActorFlow
import ActorFlowHosting
import Foundation

extension FlowStore {
  /// Returns this revision of a flow: the snapshot and the history contain its number.
  @discardableResult
  func commit(
    _ id: FlowID, _ revision: Int, as commit: CommitID = CommitID(), leaving leaves: Bool = false
  ) async throws -> StoredFlow {
    try await self.commit(
      FlowWrite(
        .numbered(revision), to: id, expecting: Revision(revision - 1), as: commit, appending: [.numbered(revision)],
        leaving: leaves, over: FlowSnapshot.numbered(revision - 1).valueNumbers))
  }
}

extension FlowSnapshot {
  static func numbered(_ revision: Int) -> FlowSnapshot {
    FlowSnapshot(
      definition: "test", version: 1, status: .waiting, steps: ["test/a"], labels: ["revision": "\(revision)"],
      wakeAt: Date(timeIntervalSince1970: 1_800_000_000.5),
      tasks: [
        OpenTask(
          question: "q\(revision)", step: "test/a", prompt: "Form", assignees: ["ann", "r\(revision)"],
          due: Date(timeIntervalSince1970: 1_900_000_000), askedAt: Date(timeIntervalSince1970: 1_700_000_000))
      ], body: Array("the body of \(revision)".utf8),
      values: Set([1, revision - 1, revision]).filter { $0 > 0 && revision > 0 }.sorted().map {
        FlowValue(number: $0, bytes: Array("value \($0)".utf8))
      })
  }
}

extension HistoryEntry {
  static func numbered(_ revision: Int) -> HistoryEntry {
    HistoryEntry(
      sequence: revision, at: Date(timeIntervalSince1970: 1_700_000_000), what: "moved", step: "test/a", by: "ann",
      detail: "to \(revision)")
  }
}

extension LeasingFlowStore {
  /// Attaches a host of this name and leases a flow to it.
  func acquire(_ id: FlowID, owner: String, for time: Duration) async throws -> FlowLease {
    try await acquire(id, under: try await attach(owner: owner, for: time)).lease
  }
}

/// The places at which tests damage files.
enum DamagedPlaces {
  #if THREAD_SANITIZER
    /// The distance from one to the next. The sanitizer looks for other faults, and nothing runs at once here.
    static let step = 17
  #else
    /// The distance from one to the next.
    static let step = 1
  #endif
}

/// Returns an open store that has deleted a flow and a note of an earlier segment, and has then written another flow.
func storeWithDeletions(_ open: () async throws -> FileFlowStore) async throws -> FileFlowStore {
  let first = try await open()
  // So many that the first segment is not rewritten because of the deletion.
  for id: FlowID in ["deleted", "other", "x", "y", "z"] { try await first.commit(id, 1) }
  try await first.setNote(StoreNote([1]), under: "removed", replacing: nil)
  await first.close()
  let store = try await open()
  try await store.delete("deleted", expecting: Revision(1), fence: nil)
  try await store.setNote(nil, under: "removed", replacing: StoreNote([1]))
  try await store.commit("later", 1)
  return store
}
