public import ActorFlow

/// A store that persists flows between their steps.
///
/// Every write is one compare-and-swap: it names the revision that it was made from, and changes everything or nothing.
/// A write is durable when it returns: every page and history that is read later shows it, and so does a store that is
/// opened later. All functions may be called by any number of tasks at once. Cancelling the task does not stop a write.
public protocol FlowStore: Sendable {
  /// Whether the store keeps the values of a flow apart from its body, so that a write brings only the new ones.
  ///
  /// A flow that is to be written in format 7 or newer has its large values in ``FlowSnapshot/values`` then. Otherwise
  /// all of it is in the body, and `values` is empty. The default is `false`. The answer never changes while a store is
  /// open; a store that is opened by another version of its code may answer otherwise.
  var keepsValuesApart: Bool { get }

  /// Whether a write may replace the history of its flow: see ``FlowWrite/replacesHistory``. Without it a host cannot
  /// redact flows. The default is `false`.
  var canReplaceHistory: Bool { get }

  /// Whether the store can tell which flows have changed; see ``changed(_:after:limit:)``. The default is `false`.
  var canListChanges: Bool { get }

  /// Returns a stored flow, or `nil` if there is no such flow.
  ///
  /// - Throws: ``FlowStoreError`` with code `corrupted` or `unsupportedFormat` if the flow exists and cannot be read.
  func load(_ id: FlowID) async throws -> StoredFlow?

  /// Writes a flow's next snapshot, and appends to its history.
  ///
  /// The snapshot, the history, and what lists and tasks show of them change together or not at all. If the last commit
  /// of the flow has the id of this write, the write was done before: this call writes nothing, and returns the stored
  /// flow. Under a fence, the flow must be leased under that epoch. The epoch's beat may be overdue, but the epoch must
  /// not have ended.
  ///
  /// A store that keeps values apart writes ``FlowWrite/newValues`` and removes ``FlowWrite/droppedValues`` in the same
  /// moment; the snapshot's other values are stored already. If the write ``FlowWrite/replacesHistory``, the store removes
  /// all entries that it has of the flow in the same moment, and then appends those of the write.
  ///
  /// The checks are made in this order, and the first that fails is thrown: the size (`tooLarge`), whether the stored
  /// flow can be read (`corrupted`, `unsupportedFormat`), the id of the last commit, the lease (`fenced`, `leased`), the
  /// revision and the values that the write does not bring (`conflict`). So a write over the limit is refused even under
  /// the id of the last commit, and a repeated write is answered even if its lease has ended.
  ///
  /// - Parameter write: The write, with the revision that it was made from.
  /// - Returns: The flow as it is stored now, with the next revision.
  /// - Throws: ``FlowStoreError``. Nothing was written if the code is `conflict`, `fenced` (the flow is not leased under
  ///   the fence), `leased` (the fence is `nil` while a lease is valid), `tooLarge`, `unavailable`, or `corrupted` or
  ///   `unsupportedFormat` (the stored flow cannot be read). After `outcomeUnknown`, retry with the same id.
  func commit(_ write: FlowWrite) async throws -> StoredFlow

  /// Performs several writes, each with a result of its own, in the order of the writes.
  ///
  /// A refused write refuses no other. Writes of different flows may be done in any order, and those of one flow are
  /// done one after the other. The default implementation performs one write after the other; a store that can share
  /// the cost of several writes does them together.
  ///
  /// - Returns: As many results as there are writes; the errors as ``commit(_:)-(FlowWrite)`` throws them.
  func commit(_ writes: [FlowWrite]) async -> [Result<StoredFlow, FlowStoreError>]

  /// Removes a flow with its history, its questions and its lease.
  ///
  /// The id may be used again for another flow, also under a lease. Fences that were given before the deletion stay
  /// invalid: a write under one of them always throws `fenced`, so a host that still runs the old flow writes nothing
  /// to the new one. Epochs make that hold: a deletion ends the flow's lease, and no later epoch has an earlier number.
  ///
  /// - Throws: ``FlowStoreError`` as ``commit(_:)-(FlowWrite)``; `notFound` if there is no such
  ///   flow.
  func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws

  /// Returns a page of the flows that match a query, in an order of the store's own, in which a flow keeps its place for
  /// all its life: by id, or by a number that it gets when it is started.
  ///
  /// - Parameters:
  ///   - query: The flows to list.
  ///   - cursor: The cursor of the previous page; `nil` for the first page.
  ///   - limit: The greatest number of flows to return; a number below 1 counts as 1.
  /// - Throws: ``FlowStoreError``; `notFound` if the cursor is not from this store.
  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage

  /// Returns a page of the open questions that match a query, in the order of the query.
  ///
  /// The questions of some assignees are found without reading all flows, and those of a page without sorting all.
  ///
  /// - Parameters:
  ///   - query: The questions to list.
  ///   - cursor: The cursor of the previous page; `nil` for the first page.
  ///   - limit: The greatest number of questions to return; a number below 1 counts as 1.
  /// - Throws: ``FlowStoreError``; `notFound` if the cursor is not from this store, or is that of another order.
  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage

  /// Returns a page of the flows that have changed since a cursor, as they are now, in the order of their latest changes.
  ///
  /// A reader that goes on after each cursor misses nothing: after every commit, its flow is on a later page, however many
  /// hosts write at once. A flow that was changed several times is there once, with its latest state. A store may show a
  /// flow again that has not changed, and may show changes late. A flow that was deleted, that cannot be read, that has no
  /// history, or that does not match the query any more is on no page.
  ///
  /// The default implementation throws `unavailable`, for a store whose ``canListChanges`` is `false`.
  ///
  /// - Parameters:
  ///   - query: The flows to show.
  ///   - cursor: The cursor of a change, of a page, or of ``lastChange()``, which stays valid when the store is closed and
  ///     opened again; `nil` to begin with all flows.
  ///   - limit: The greatest number of flows to return; a number below 1 counts as 1.
  /// - Throws: ``FlowStoreError``; `notFound` if the cursor is not from this store, or is ahead of it because the store
  ///   was restored from a backup.
  func changed(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> ChangePage

  /// Returns the cursor behind all changes that the store shows at this moment, for a reader that wants only later ones.
  ///
  /// - Throws: As ``changed(_:after:limit:)``.
  func lastChange() async throws -> String

  /// Counts the flows that match a query, up to a limit.
  ///
  /// A flow that cannot be read may be counted. The default implementation counts the flows of pages; a store that can
  /// count without handing the flows out does so.
  ///
  /// - Parameters:
  ///   - query: The flows to count.
  ///   - limit: The number at which counting ends; a number below 1 counts as 1.
  /// - Returns: The number of flows, and `limit` if there are as many or more.
  /// - Throws: ``FlowStoreError``; `CancellationError` between two pages.
  func count(_ query: FlowQuery, upTo limit: Int) async throws -> Int

  /// Counts the open questions that match a query, up to a limit, whatever the order of the query is.
  ///
  /// A question that is assigned to several of the query's assignees counts once. Otherwise as for
  /// ``count(_:upTo:)-(FlowQuery,_)``.
  ///
  /// - Parameters:
  ///   - query: The questions to count.
  ///   - limit: The number at which counting ends; a number below 1 counts as 1.
  /// - Returns: The number of questions, and `limit` if there are as many or more.
  /// - Throws: ``FlowStoreError``; `CancellationError` between two pages.
  func count(_ query: TaskQuery, upTo limit: Int) async throws -> Int

  /// Returns a flow's history, oldest entry first; empty if there is no such flow.
  ///
  /// - Parameters:
  ///   - id: The flow's id.
  ///   - sequence: The entries to skip: only those with a greater ``HistoryEntry/sequence`` are returned; 0 for all.
  ///   - limit: The greatest number of entries to return; a number below 1 counts as 1.
  /// - Throws: ``FlowStoreError``; `corrupted` if the history exists and cannot be read, or belongs to another flow.
  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry]

  /// Returns the note under a key, or `nil` if there is none. A note whose time is over may or may not be returned.
  ///
  /// Notes stand beside the flows: no list shows them, and a flow whose id is the same text has nothing to do with them.
  ///
  /// - Parameter key: Any text, like an id; keys that differ in one byte are different.
  /// - Throws: ``FlowStoreError``; `corrupted` if the note exists and cannot be read.
  func note(_ key: String) async throws -> StoreNote?

  /// Writes, replaces or removes the note under a key; durable when it returns.
  ///
  /// - Parameters:
  ///   - note: The note; `nil` to remove the one that is there.
  ///   - key: The key, as for ``note(_:)``.
  ///   - old: The note that is to be replaced, as it was read; `nil` if there must be none. A note that cannot be read
  ///     counts as none.
  /// - Throws: ``FlowStoreError``. Nothing was written if the code is `conflict` (another note is there) or
  ///   `unavailable`.
  func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws

  /// The damage that the store knows of, at this moment and without reading anything; `nil` if it knows of none. The
  /// default is `nil`, for stores that leave damage to their database.
  var damage: StoreDamage? { get }
}

extension FlowStore {
  /// No damage, for a store that leaves damage to its database.
  public var damage: StoreDamage? { nil }

  /// False: the body of a flow has all its values.
  public var keepsValuesApart: Bool { false }

  /// False: no flow of the store can be redacted.
  public var canReplaceHistory: Bool { false }

  /// False: the store cannot tell which flows have changed.
  public var canListChanges: Bool { false }

  /// Throws `unavailable`, for a store that keeps no order of changes.
  public func changed(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> ChangePage {
    throw Self.listsNoChanges
  }

  /// Throws `unavailable`, for a store that keeps no order of changes.
  public func lastChange() async throws -> String { throw Self.listsNoChanges }

  private static var listsNoChanges: FlowStoreError {
    FlowStoreError(.unavailable, "the store cannot tell which flows have changed; list the flows instead")
  }

  /// Counts the flows of pages.
  public func count(_ query: FlowQuery, upTo limit: Int) async throws -> Int {
    try await countPages(upTo: limit) { cursor, limit in
      let page = try await list(query, after: cursor, limit: limit)
      return (page.flows.count, page.cursor)
    }
  }

  /// Counts the questions of pages.
  public func count(_ query: TaskQuery, upTo limit: Int) async throws -> Int {
    var query = query
    query.order = .flow
    return try await countPages(upTo: limit) { [query] cursor, limit in
      let page = try await tasks(query, after: cursor, limit: limit)
      return (page.tasks.count, page.cursor)
    }
  }

  /// - Parameter page: A closure that reads a page behind a cursor, with a limit, and returns its count and cursor.
  package func countPages(
    upTo limit: Int, _ page: (String?, Int) async throws -> (count: Int, cursor: String?)
  ) async throws -> Int {
    let limit = max(1, limit)
    var count = 0
    var cursor: String?
    repeat {
      try Task.checkCancellation()
      let found = try await page(cursor, min(limit - count, 1_000))
      count += found.count
      cursor = found.cursor
    } while cursor != nil && count < limit
    return count
  }

  /// Performs several writes, one after the other.
  public func commit(_ writes: [FlowWrite]) async -> [Result<StoredFlow, FlowStoreError>] {
    var results: [Result<StoredFlow, FlowStoreError>] = []
    for write in writes {
      do { results.append(.success(try await commit(write))) } catch {
        results.append(.failure(FlowStoreError.ofWrite(error, to: write.id)))
      }
    }
    return results
  }
}
