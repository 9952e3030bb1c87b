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
      let result: Result<Value, any Error>
      do { result = .success(try await body(worker)) } catch { result = .failure(error) }
      await giveBack(worker)
      return try result.get()
    }

    /// - Throws: `FlowStoreError` with the code `unavailable` if none is given back within the time of a reply. The callers
    ///   that have them may be waiting for this one.
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
      return try await withThrowingTaskGroup { group in
        group.addTask { try await waiter.value() as? Worker }
        group.addTask { [self] in
          let isOver = (try? await ContinuousClock().sleep(for: place.connection.replyTime)) != nil
          // A caller that has just got a connection is not refused.
          if isOver, waiter.take() { waiter.fulfil(.failure(noneIsFree)) }
          return nil
        }
        defer { group.cancelAll() }
        while let worker = try await group.next() {
          if let worker { return worker }
        }
        throw FlowStoreError.storeIsClosed
      }
    }

    private var noneIsFree: FlowStoreError {
      FlowStoreError(
        .unavailable,
        "all \(most) connections to \(place.address) for transactions have been in use for \(place.connection.replyTime); "
          + "end transactions soon, begin none inside another, or raise `connections`")
    }

    private func giveBack(_ worker: Worker) async {
      let (waiter, isClosed) = state.withLock { state -> (OneShot?, Bool) in
        guard !state.isClosed else { return (nil, true) }
        while !state.waiters.isEmpty {
          let waiter = state.waiters.removeFirst()
          // A caller that was cancelled takes no connection.
          if waiter.take() { return (waiter, false) }
        }
        state.idle.append(worker)
        return (nil, false)
      }
      if isClosed { await worker.close() }
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
    ///
    /// - Throws: ``ServerError`` also for what libpq would not send, or only in part.
    func run(_ sql: String, _ values: [String?]) throws -> [[String?]] {
      guard values.count <= Int(UInt16.max) else {
        throw ServerError(state: "54023", message: "a statement takes 65,535 values at most")
      }
      guard !(values + [sql]).contains(where: { $0?.utf8.contains(0) ?? false }) else {
        throw ServerError(state: "22021", message: "a text with U+0000 cannot be sent")
      }
      return try perform(SQLStatement(sql: sql, values: values.map(SQLValue.untyped), isText: true)) { $0.texts }
    }

    /// - Throws: ``FlowStoreError``: `outcomeUnknown` if the reply was lost; any other one says that the transaction was
    ///   rolled back. So does a ``ServerError``, of a constraint that is checked at the end of the transaction.
    func commit() throws {
      let tag: String
      do {
        tag = try perform(SQLStatement(sql: "COMMIT", repetition: .isAnotherCall), isCommit: true) { $0.tag }
      } catch let error as ServerError where error.state.hasPrefix("23") { throw error } catch {
        throw storeError(error)
      }
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
