#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting

  /// The connections on which transactions of callers run, one at a time each. Opened when they are needed, and kept.
  final class TransactionConnections: Sendable {
    private struct State {
      var idle: [Worker] = []
      var count = 0
      var waiters: [OneShot] = []
      var isClosed = false
    }

    private let place: DatabasePlace
    private let most: Int
    private let state = Lock(State())

    init(_ place: DatabasePlace, most: Int) { (self.place, self.most) = (place, most) }

    /// Calls `body` with a connection that no other transaction has. Callers that find none wait in the order of their
    /// coming.
    ///
    /// - Throws: The error of `body`; `CancellationError` for a caller that is cancelled while it waits.
    func withConnection<Value>(_ body: (Worker) async throws -> Value) async throws -> Value {
      let worker = try await take()
      defer { giveBack(worker) }
      return try await body(worker)
    }

    private func take() async throws -> Worker {
      let waiter = OneShot()
      let found = try state.withLock { state throws(FlowStoreError) -> Worker? in
        guard !state.isClosed else { throw .storeIsClosed }
        if let worker = state.idle.popLast() { return worker }
        guard state.count < most else {
          state.waiters.append(waiter)
          return nil
        }
        state.count += 1
        return Worker(place, label: "ActorFlow.postgresql.transaction.\(state.count)")
      }
      if let found { return found }
      guard let worker = try await waiter.value() as? Worker else { throw FlowStoreError.storeIsClosed }
      return worker
    }

    private func giveBack(_ worker: Worker) {
      let waiter = state.withLock { state -> OneShot? in
        while !state.waiters.isEmpty {
          let waiter = state.waiters.removeFirst()
          // A caller that was cancelled takes no connection.
          if waiter.take() { return waiter }
        }
        state.idle.append(worker)
        return nil
      }
      waiter?.fulfil(.success(worker))
    }

    /// Refuses new transactions, and closes the connections that none uses; those in use end with their transactions.
    func close() async {
      let (idle, waiters) = state.withLock { state in
        state.isClosed = true
        defer { (state.idle, state.waiters) = ([], []) }
        return (state.idle, state.waiters)
      }
      for waiter in waiters { waiter.fulfil(.failure(FlowStoreError.storeIsClosed)) }
      for worker in idle { await worker.close() }
    }
  }

  // MARK: - A transaction of several calls

  extension Worker {
    /// Begins a transaction, on a new connection if the last one is broken.
    func begin() throws(FlowStoreError) {
      let statement = SQLStatement(sql: "BEGIN ISOLATION LEVEL READ COMMITTED")
      do {
        let wasConnected = isConnected
        do { try perform(statement, opens: true) { _ in } } catch {
          // A connection that broke while no transaction had it is found out only now.
          guard wasConnected, !isConnected else { throw error }
          try perform(statement, opens: true) { _ in }
        }
      } catch { throw storeError(error) }
    }

    /// Runs a statement of the transaction, with texts for values and columns.
    func run(_ sql: String, _ values: [String?]) throws -> [[String?]] {
      try perform(SQLStatement(sql: sql, values: values.map(SQLValue.untyped), isText: true)) { $0.texts }
    }

    /// - Throws: ``FlowStoreError``: `outcomeUnknown` if the reply was lost; any other one says that the transaction was
    ///   rolled back.
    func commit() throws(FlowStoreError) {
      let tag: String
      do {
        tag = try perform(SQLStatement(sql: "COMMIT", repetition: .isAnotherCall), isCommit: true) { $0.tag }
      } catch { throw storeError(error) }
      // The server answers the commit of a broken transaction with its rollback.
      guard tag != "ROLLBACK" else {
        throw FlowStoreError(
          .unavailable, "the transaction was rolled back, because one of its statements had failed before")
      }
    }

    /// Rolls the transaction back. If that fails, the connection is closed, which does the same.
    func rollBack() {
      do { try perform(SQLStatement(sql: "ROLLBACK")) { _ in } } catch { disconnect() }
    }
  }
#endif
