public import ActorFlow

/// Where flows are kept between their steps.
///
/// Every write is one compare-and-swap: it names the revision it was made from, and does all or nothing. What a write
/// returned from is durable, in every page and history read after it, and in what was opened later. All functions may be
/// called from any task, any number at once. A write is not given up when its task is cancelled.
public protocol FlowStore: Sendable {
  /// What the store has of a flow; nil if there is no such flow.
  ///
  /// - Throws: ``FlowStoreError`` with code `corrupted` or `unsupportedFormat` if the flow is there and cannot be read.
  func load(_ id: FlowID) async throws -> StoredFlow?

  /// Writes a flow's next snapshot, and what its history gained.
  ///
  /// Snapshot, history, and what lists and tasks show of them change together or not at all. If the last commit of the
  /// flow has the id `commit`, this is a retry of a write that was done: nothing is written, and the stored flow is
  /// returned.
  ///
  /// - Parameters:
  ///   - snapshot: what to keep.
  ///   - id: the flow.
  ///   - revision: the revision that this snapshot was made from; `.none` creates the flow.
  ///   - fence: the lease under which it was made. It may have expired, but no later one may have been given.
  ///   - commit: the name of this write. A retry of the same write has the same one, anything else a new one.
  ///   - history: entries for the flow's history.
  /// - Returns: the flow as it is stored now, with the next revision.
  /// - Throws: ``FlowStoreError``: `conflict`, `fenced` if a later lease was given, `leased` if no fence is named while
  ///   somebody's lease stands, `tooLarge`, `unavailable`, `corrupted` or `unsupportedFormat` if what would be replaced
  ///   cannot be read: nothing was written. `outcomeUnknown`: retry with the same id.
  func commit(
    _ snapshot: FlowSnapshot, to id: FlowID, expecting revision: Revision, fence: Fence?, as commit: CommitID,
    appending history: [HistoryEntry]
  ) async throws -> StoredFlow

  /// Removes a flow with its history, its questions and its lease. The id may be used again, also under a lease; it is
  /// another flow then. Fences that were given before stay barred: a write under one of them is `fenced` for ever, so who
  /// still runs the old flow writes nothing into the new one.
  ///
  /// The fences that were given for it count on: who still has one of them writes no new flow with this id. So a store
  /// with leases remembers the latest fence of a flow beyond the flow.
  ///
  /// - Throws: ``FlowStoreError`` as ``commit(_:to:expecting:fence:as:appending:)`` does; `notFound` if there is no such
  ///   flow.
  func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws

  /// The flows that fit, by id.
  ///
  /// - Parameters:
  ///   - query: which flows.
  ///   - cursor: the cursor of the page before; nil for the first page.
  ///   - limit: how many at most; at least 1 is taken.
  /// - Throws: ``FlowStoreError``; `notFound` if the cursor is not one of this store's.
  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage

  /// The open questions that fit, by flow. What waits for one assignee is found without walking all flows.
  ///
  /// - Parameters:
  ///   - query: which questions.
  ///   - cursor: the cursor of the page before; nil for the first page.
  ///   - limit: how many at most; at least 1 is taken.
  /// - Throws: ``FlowStoreError``; `notFound` if the cursor is not one of this store's.
  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage

  /// A flow's history, oldest first; empty if there is no such flow.
  ///
  /// - Parameters:
  ///   - id: the flow.
  ///   - sequence: only entries with a greater ``HistoryEntry/sequence``; 0 for all.
  ///   - limit: how many at most; at least 1 is taken.
  /// - Throws: ``FlowStoreError``; `corrupted` if the history is there and cannot be read, or is that of another flow.
  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry]
}
