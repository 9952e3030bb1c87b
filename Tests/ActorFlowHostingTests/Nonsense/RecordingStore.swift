import ActorFlow
import ActorFlowHosting

/// A store that remembers every snapshot it has taken.
final class RecordingStore: FlowStore {
  let base: MemoryFlowStore
  private let taken = Lock<[StoredFlow]>([])

  init(_ base: MemoryFlowStore) {
    self.base = base
  }

  var all: [StoredFlow] { taken.withLock { $0 } }

  func load(_ id: FlowID) async throws -> StoredFlow? { try await base.load(id) }

  func commit(
    _ snapshot: FlowSnapshot, to id: FlowID, expecting: Revision, fence: Fence?, as commit: CommitID,
    appending history: [HistoryEntry]
  ) async throws -> StoredFlow {
    let stored = try await base.commit(
      snapshot, to: id, expecting: expecting, fence: fence, as: commit, appending: history)
    taken.withLock { $0.append(stored) }
    return stored
  }

  func delete(_ id: FlowID, expecting: Revision, fence: Fence?) async throws {
    try await base.delete(id, expecting: expecting, fence: fence)
  }

  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try await base.list(query, after: cursor, limit: limit)
  }

  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    try await base.tasks(query, after: cursor, limit: limit)
  }

  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await base.history(of: id, after: sequence, limit: limit)
  }
}
