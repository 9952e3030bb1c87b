#if PostgreSQL
  public import ActorFlowHosting

  extension PostgreSQLFlowStore: TransactionalFlowStore {
    /// Begins a transaction on a connection of its own, calls `body`, and commits it; rolls it back if `body` throws. See
    /// `TransactionalFlowStore.withTransaction(_:)`.
    ///
    /// At most ``Options/connections`` transactions run at once; others wait for one of these connections, which are opened
    /// beside those of the store's calls when they are needed.
    public func withTransaction<Result>(
      _ body: (PostgreSQLTransaction) async throws -> Result
    ) async throws -> Result {
      try await transactions.withConnection { connection in
        try await connection.begin()
        let transaction = PostgreSQLTransaction(self) { try await connection.run($0, $1) }
        let result: Result
        do { result = try await body(transaction) } catch {
          await connection.rollBack()
          throw error
        }
        try await connection.commit()
        return result
      }
    }

    /// Returns a transaction that was begun by a client of the caller's, on the same database.
    ///
    /// ```swift
    /// let transaction = store.joining { sql, values in try await client.texts(sql, values) }
    /// ```
    ///
    /// The store neither commits the transaction nor rolls it back. When it has ended, settle its changes:
    /// `PendingChange.settle()`. The client's role needs the rights of the store's. The transaction's isolation level
    /// should be READ COMMITTED: at another one, a flow that was changed since its first statement ends it with a
    /// serialization error.
    ///
    /// - Parameter run: A closure that runs a statement in that transaction.
    public func joining(_ run: @escaping PostgreSQLTransaction.Runner) -> PostgreSQLTransaction {
      PostgreSQLTransaction(self, run)
    }
  }
#endif
