#if PostgreSQL
  import ActorFlow
  public import ActorFlowHosting

  /// A transaction of the database in which a ``PostgreSQLFlowStore`` has its tables: the store's own, or one of a client
  /// of the caller's.
  ///
  /// Its statements are done one after the other, on one connection. After an error of the server the transaction is
  /// broken: the server refuses all further statements, and it is rolled back.
  public final class PostgreSQLTransaction: FlowTransaction {
    /// The changes of flows that wait for the end of the transaction.
    public let changes = PendingChanges()
    private let database: PostgreSQLFlowStore
    private let run: Runner
    private let known = Lock(Known())

    private struct Known: Sendable {
      /// The server's number of the transaction, once a flow was written.
      var number: String?
      /// The changes that the store's streams learn of when the transaction is committed.
      var announcements: [CommitID: (changes: [StoreChange], notifiable: [StoreChange])] = [:]
    }

    /// Runs a statement with `$1`, `$2` and so on for its values, which are texts or NULL, and returns the columns of its
    /// rows as texts.
    public typealias Runner = @Sendable (_ sql: String, _ values: [String?]) async throws -> [[String?]]

    init(_ store: PostgreSQLFlowStore, _ run: @escaping Runner) { (database, self.run) = (store, run) }

    /// Returns whether a host has the store that the transaction comes from, or one that may pass its calls on to it.
    public func belongs(to store: any FlowStore) -> Bool {
      (store as? PostgreSQLFlowStore).map { $0 === database } ?? true
    }

    /// Runs a statement in the transaction.
    ///
    /// ```swift
    /// try await transaction.execute("INSERT INTO orders VALUES ($1::uuid, $2)", [order.id, order.city])
    /// ```
    ///
    /// - Parameters:
    ///   - sql: One statement, with `$1`, `$2` and so on for the values. Cast a value where its type is not clear from
    ///     the statement: `$1::bigint`.
    ///   - values: The values as texts, in the form that the server reads; `nil` for NULL.
    /// - Throws: ``ServerError`` if the statement is wrong, or the server refuses it. `FlowStoreError`: `conflict` if
    ///   another transaction was in the way, `unavailable` if the connection broke. For a client of the caller's, the errors
    ///   of that client.
    public func execute(_ sql: String, _ values: [String?] = []) async throws { _ = try await run(sql, values) }

    /// Runs a statement in the transaction, and returns its rows.
    ///
    /// - Returns: The rows, with each column as a text in the server's form, and `nil` for NULL.
    /// - Throws: As ``execute(_:_:)``.
    public func query(_ sql: String, _ values: [String?] = []) async throws -> [[String?]] {
      try await run(sql, values)
    }

    /// Writes a flow in the transaction; see `FlowTransaction.write(_:)`.
    public func write(_ write: FlowWrite) async throws -> StoredFlow {
      try write.snapshot.checkSize()
      let parameters = try CommitParameters(write)
      var checked: Revision?
      while true {
        let values = parameters.values(at: database.now, checked: checked)
        let arguments = values.enumerated().map { "$\($0 + 1)::text::\($1.typeName)" }.joined(separator: ", ")
        let rows = try await rows(
          """
          SELECT kind, a, b, t, u, encode(bytes, 'hex'), pg_current_xact_id()
            FROM \(database.schema.quoted).flow_commit(\(arguments))
          """, values.map(\.literal))
        switch try CommitOutcome(FunctionReply(rows), of: write) {
        case .unchecked(let revision): checked = revision
        case .done(let flow, let changes, let notifiable):
          known.withLock { known in
            known.number = rows.first?.last ?? nil
            known.announcements[write.commit] = (changes, notifiable)
          }
          return flow
        }
      }
    }

    private func rows(_ sql: String, _ values: [String?]) async throws -> [[String?]] {
      do { return try await run(sql, values) } catch let error as FlowStoreError { throw error } catch {
        throw FlowStoreError(
          .unavailable, "the flow cannot be written in the transaction, which is broken now", underlying: error)
      }
    }

    /// Returns what has become of a write of the transaction; see `FlowTransaction.fate(of:)`. The server is asked, on a
    /// connection of the store.
    public func fate(of write: FlowWrite) async throws -> TransactionFate {
      let status = try await database.pool.call(
        SQLStatement(sql: "SELECT pg_xact_status($1::xid8)", values: [.text(known.withLock { $0.number } ?? "0")])
      ) { $0.rows.first?.text(0) ?? "" }
      guard status != "in progress" else { return .undecided }
      // A look after the end, so that it shows what the transaction has left.
      let stored = try await database.pool.call(
        database.statement("SELECT revision, commit_id FROM @schema.flows WHERE id = $1", [.text(write.id.description)])
      ) { reply in reply.rows.first.map { (revision: $0.int(0), commit: $0.text(1)) } }
      // A transaction that was committed has not written the flow if it went back to a savepoint.
      let isWritten =
        if let stored {
          stored.commit == write.commit.description || stored.revision > write.expecting.next.number
        } else { true }
      guard status == "committed", isWritten else { return .rolledBack }
      if let told = known.withLock({ $0.announcements.removeValue(forKey: write.commit) }) {
        database.tell(told.changes, told.notifiable)
      }
      return .committed
    }
  }
#endif
