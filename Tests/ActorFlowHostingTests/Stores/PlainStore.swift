import ActorFlow
import ActorFlowHosting

/// A store without leases, whether its inner store gives them or not.
struct PlainStore: FlowStore {
  let base: any FlowStore
  /// Whether hosts write the values of a flow apart from its body.
  var keepsValuesApart = true
  var canReplaceHistory: Bool { base.canReplaceHistory }
  /// Whether the store tells which flows have changed, if its inner store does.
  var listsChanges = true
  var canListChanges: Bool { listsChanges && base.canListChanges }
  /// Called before each commit.
  var onCommit: @Sendable (CommitID) throws -> Void = { _ in }
  /// Called with each write.
  var onWrite: @Sendable (FlowWrite) -> Void = { _ in }
  /// Called with the stored result of each commit.
  var onStored: @Sendable (StoredFlow) -> Void = { _ in }

  func load(_ id: FlowID) async throws -> StoredFlow? { try await base.load(id) }

  func commit(_ write: FlowWrite) async throws -> StoredFlow {
    try onCommit(write.commit)
    onWrite(write)
    let stored = try await base.commit(write)
    onStored(stored)
    return stored
  }

  func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
    try await base.delete(id, expecting: revision, fence: fence)
  }

  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try await base.list(query, after: cursor, limit: limit)
  }

  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    try await base.tasks(query, after: cursor, limit: limit)
  }

  func changed(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> ChangePage {
    try await base.changed(query, after: cursor, limit: limit)
  }

  func lastChange() async throws -> String { try await base.lastChange() }

  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await base.history(of: id, after: sequence, limit: limit)
  }

  func note(_ key: String) async throws -> StoreNote? { try await base.note(key) }

  func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    try await base.setNote(note, under: key, replacing: old)
  }
}
