import ActorFlow
import ActorFlowHosting

/// A store on files that reports read errors as other errors, or as missing flows.
struct BlindStore: FlowStore {
  let base: FileFlowStore
  let codes: [FlowStoreError.Code: FlowStoreError.Code]

  private func changed<Value>(_ work: () async throws -> Value, nothing: Value? = nil) async throws -> Value {
    do {
      return try await work()
    } catch let error as FlowStoreError where error.code == .corrupted || error.code == .unsupportedFormat {
      if let nothing, codes.isEmpty { return nothing }
      throw FlowStoreError(codes[error.code] ?? error.code, error.message)
    }
  }

  func load(_ id: FlowID) async throws -> StoredFlow? {
    try await changed({ try await base.load(id) }, nothing: .some(nil))
  }

  func commit(_ write: FlowWrite) async throws -> StoredFlow {
    try await changed { try await base.commit(write) }
  }

  func delete(_ id: FlowID, expecting: Revision, fence: Fence?) async throws {
    try await changed { try await base.delete(id, expecting: expecting, fence: fence) }
  }

  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try await base.list(query, after: cursor, limit: limit)
  }

  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    try await base.tasks(query, after: cursor, limit: limit)
  }

  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await changed { try await base.history(of: id, after: sequence, limit: limit) }
  }

  func note(_ key: String) async throws -> StoreNote? { try await base.note(key) }

  func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    try await base.setNote(note, under: key, replacing: old)
  }
}
