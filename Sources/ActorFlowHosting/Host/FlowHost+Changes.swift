public import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowHost {
  /// The flows as they change, at all hosts of the store: for a dashboard, a search index, or a table of another database.
  ///
  /// ```swift
  /// for try await change in host.changes(FlowQuery(definition: "order"), after: saved) {
  ///   try await index.put(change.flow.id, change.flow.status)
  ///   saved = change.cursor
  /// }
  /// ```
  ///
  /// A reader that goes on after the last ``FlowChange/cursor`` that it has kept misses no flow, in another process, at
  /// another host, and however long that takes: after each commit of a flow, the flow comes with its latest state. So a
  /// flow that has changed several times meanwhile may come once, and one that has not changed may come again, with the
  /// ``FlowSummary/revision`` and ``FlowSummary/changedAt`` that the reader knows. The order is that of the latest commits.
  /// For each single step of a flow, read its ``HostedFlow/news(after:)``.
  ///
  /// After the store was restored from a backup, or has lost its latest commits in another way, begin again with all flows:
  /// a cursor is refused only as long as it is ahead of the store.
  ///
  /// A flow whose latest state does not match the query any more does not come: to see flows leave a status, leave the
  /// status out of the query, and look at what comes. Deletions are not reported. The iteration ends only with an error
  /// or with its task.
  ///
  /// Flows are read from the store in pages of 256, at the pace of the reader. A commit at this host is seen at once, if
  /// the store shows it by then, and one at another host with the next look at the store, every
  /// ``FlowHost/Options/pollInterval``. Reading activates
  /// nothing. The guard ``FlowHost/Options/access`` is asked before each page, as for ``list(_:after:limit:by:)``.
  ///
  /// Each iteration throws `CancellationError` if the iterating task is cancelled, and errors of the store, after which
  /// another iteration may go on: a ``FlowStoreError`` with the code `notFound` if the cursor is not from this store or is
  /// ahead of it, because the store was restored from a backup, and a `FlowError` with the code `notStorable` if the store
  /// cannot tell what has changed.
  ///
  /// - Parameters:
  ///   - query: The flows that are to come.
  ///   - cursor: The cursor of an earlier change, or that of ``lastChange(by:)``, to get only what changes from then on;
  ///     `nil` to begin with all flows.
  ///   - principal: The principal who reads, for the guard.
  public nonisolated func changes(
    _ query: FlowQuery = FlowQuery(), after cursor: String? = nil, by principal: Principal? = nil
  ) -> FlowChanges {
    FlowChanges(host: self, query: query, cursor: cursor, principal: principal)
  }

  /// Returns the cursor behind all changes that the store shows at this moment.
  ///
  /// - Throws: A `FlowError` with the code `notStorable` if the store cannot tell what has changed. Errors of the store.
  ///   The error of the guard ``Options/access``.
  public func lastChange(by principal: Principal? = nil) async throws -> String {
    try await allow(.list, by: principal, on: nil)
    try refuseChanges()
    return try await shared.store.lastChange()
  }

  fileprivate nonisolated func refuseChanges() throws(FlowError) {
    guard shared.store.canListChanges else {
      throw FlowError(.notStorable, "the store cannot tell which flows have changed; list the flows instead")
    }
  }

  fileprivate func changed(
    _ query: FlowQuery, after cursor: String?, by principal: Principal?
  ) async throws -> ChangePage {
    try await allow(.list, by: principal, on: nil)
    try refuseChanges()
    var page = try await shared.store.changed(query, after: cursor, limit: 256)
    for index in page.changes.indices { page.changes[index].flow.labels[Definition.label] = nil }
    return page
  }
}

/// The flows as they change; see ``FlowHost/changes(_:after:by:)``.
public struct FlowChanges: AsyncSequence, Sendable {
  let host: FlowHost
  let query: FlowQuery
  let cursor: String?
  let principal: Principal?

  /// Begins an iteration after the cursor that the sequence was made with. Each iteration reads for itself.
  public func makeAsyncIterator() -> Iterator { Iterator(of: self) }

  /// An iteration over the changes.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    private let changes: FlowChanges
    private var cursor: String?
    /// The changes that were read and not returned yet, latest first.
    private var page: [FlowChange] = []

    fileprivate init(of changes: FlowChanges) {
      self.changes = changes
      cursor = changes.cursor
    }

    /// Waits for the next change.
    public mutating func next() async throws -> FlowChange? {
      if page.isEmpty { try await read() }
      return page.popLast()
    }

    private mutating func read() async throws {
      let (host, shared) = (changes.host, changes.host.shared)
      // Before the store is read, so that no write is missed between the two.
      let listener = shared.store.listenToAll()
      defer { shared.store.forgetAll(listener) }
      while true {
        try Task.checkCancellation()
        let found = try await host.changed(changes.query, after: cursor, by: changes.principal)
        cursor = found.cursor
        page = found.changes.reversed()
        if !page.isEmpty { return }
        await shared.wait(for: listener, atMostUntil: .distantFuture)
      }
    }
  }
}
