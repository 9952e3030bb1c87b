import ActorFlow
import ActorFlowHosting
import Synchronization

/// A store in memory that remembers its writes.
final class RecordingStore: FlowStore {
  private let store = MemoryFlowStore()
  private let recorded = Mutex<[FlowWrite]>([])

  var writes: [FlowWrite] { recorded.withLock { $0 } }

  func commit(_ write: FlowWrite) async throws -> StoredFlow {
    let flow = try await store.commit(write)
    recorded.withLock { $0.append(write) }
    return flow
  }

  func load(_ id: FlowID) async throws -> StoredFlow? { try await store.load(id) }

  func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
    try await store.delete(id, expecting: revision, fence: fence)
  }

  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try await store.list(query, after: cursor, limit: limit)
  }

  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    try await store.tasks(query, after: cursor, limit: limit)
  }

  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await store.history(of: id, after: sequence, limit: limit)
  }

  func note(_ key: String) async throws -> StoreNote? { try await store.note(key) }

  func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    try await store.setNote(note, under: key, replacing: old)
  }
}
