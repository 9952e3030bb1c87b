internal import ActorFlow
internal import ActorFlowHosting
internal import Foundation
internal import Synchronization

/// The store of a worker's host: the flows for which the worker has a task. A commit completes the task.
///
/// The host leases what it is given and asks for nothing by itself, so there is one epoch, and it does not end.
final class TaskStore: LeasingFlowStore {
  private let sessions = Mutex<[FlowID: TaskSession]>([:])
  private let lister: FlowLister

  init(_ lister: FlowLister) { self.lister = lister }

  /// The session of a flow, if the worker has a task for it.
  func session(of id: FlowID) -> TaskSession? { sessions.withLock { $0[id] } }

  func open(_ session: TaskSession) { sessions.withLock { $0[session.id] = session } }

  func close(_ session: TaskSession) {
    sessions.withLock { sessions in
      if sessions[session.id] === session { sessions[session.id] = nil }
    }
  }

  private func found(_ id: FlowID) throws(FlowStoreError) -> TaskSession {
    guard let session = session(of: id) else {
      throw FlowStoreError(.leased, "this worker has no task for the flow \(id)")
    }
    return session
  }

  // MARK: - Reading and writing

  func load(_ id: FlowID) async throws -> StoredFlow? { await session(of: id)?.stored }

  func commit(_ write: FlowWrite) async throws -> StoredFlow {
    guard let session = session(of: write.id) else {
      throw FlowStoreError(.fenced, "the task of the flow \(write.id) is over")
    }
    return try await session.commit(write)
  }

  func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
    throw FlowStoreError(.unavailable, "Temporal removes a flow when its namespace no longer retains it")
  }

  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try await lister.list(query, after: cursor, limit: limit)
  }

  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    throw FlowStoreError(.unavailable, "flows on Temporal have no inbox of questions; list the flows by their steps")
  }

  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await lister.client.readHistory(of: id, after: sequence, limit: limit)
  }

  func note(_ key: String) async throws -> StoreNote? { nil }

  func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    throw FlowStoreError(
      .unavailable, "a worker on Temporal keeps no notes; a namespace of its own sets a deployment apart")
  }

  // MARK: - Leases

  func attach(owner: String, for time: Duration, as attempt: CommitID, after old: Epoch?) async throws -> Epoch {
    Epoch(owner: owner, fence: Fence(1), until: .distantFuture)
  }

  func beat(_ epoch: Epoch, for time: Duration) async throws -> Epoch { epoch }

  func detach(_ epoch: Epoch) async throws {}

  func acquire(_ id: FlowID, under epoch: Epoch) async throws -> LeasedFlow {
    let session = try found(id)
    guard await session.isOpen else {
      throw FlowStoreError(.leased, "the task of the flow \(id) is over")
    }
    return LeasedFlow(session.lease, await session.stored)
  }

  func acquire(
    _ id: FlowID, under epoch: Epoch, serving: [String: ClosedRange<Int>]
  ) async throws -> LeasedFlow? {
    let leased = try await acquire(id, under: epoch)
    if let flow = leased.flow?.snapshot, serving[flow.definition]?.contains(flow.version) != true { return nil }
    return leased
  }

  /// Does nothing: the session ends the task when nothing of the flow is at work here.
  func release(_ lease: FlowLease) async throws {}

  func claimDue(
    under epoch: Epoch, serving: [String: ClosedRange<Int>], limit: Int
  ) async throws -> [LeasedFlow] { [] }

  func leased(to epoch: Epoch, after cursor: String?, limit: Int) async throws -> LeasePage {
    LeasePage(flows: [], cursor: nil)
  }

  func nextDue(serving: [String: ClosedRange<Int>]) async throws -> Date? { nil }
}
