#if SQLite
  import ActorFlow
  import ActorFlowHosting
  import CSQLite

  /// The one connection that writes, on a thread of its own.
  ///
  /// Calls that arrive while a transaction is synced wait in a queue, and share the next transaction and its sync. Each
  /// has a savepoint, so that a refused one refuses no other.
  actor Writer {
    /// The most calls in one transaction, which bounds the log's growth and the time of the first in line.
    private static let groupLimit = 64

    private nonisolated let executor: BlockingExecutor
    private nonisolated let queue = Lock(Queue())
    private let file: DatabaseFile
    private let now: @Sendable () -> StoredTime
    private let announce: @Sendable ([StoreChange]) -> Void
    private var database: Database?

    private struct Queue {
      var calls: [any WriterCall] = []
      var isClosed = false
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - now: The time by the store's clock.
    ///   - announce: Called with the changes of a transaction after its commit.
    init(
      _ file: DatabaseFile, now: @escaping @Sendable () -> StoredTime,
      announce: @escaping @Sendable ([StoreChange]) -> Void
    ) {
      executor = BlockingExecutor("ActorFlow.sqlite.write")
      (self.file, self.now, self.announce) = (file, now, announce)
    }

    func open() throws(FlowStoreError) {
      do { database = try file.openForWriting(creates: true, now: now()) } catch { throw file.storeError(error) }
    }

    /// Does a call in a transaction; returns when it is synced, also if the calling task is cancelled meanwhile.
    nonisolated func write<Value: Sendable>(
      _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws(FlowStoreError) -> Value {
      try await write([body])[0].get()
    }

    /// Does several calls, in this order and in as few transactions as possible.
    nonisolated func write<Value: Sendable>(
      _ bodies: [@Sendable (WriteTransaction) throws -> Value]
    ) async -> [Result<Value, FlowStoreError>] {
      let calls = bodies.map { QueuedCall($0) }
      let isClosed = queue.withLock { queue in
        if !queue.isClosed { queue.calls += calls as [any WriterCall] }
        return queue.isClosed
      }
      guard !isClosed else { return calls.map { _ in .failure(DatabaseFile.closed) } }
      // Does the calls itself, unless the turn of another task has done them meanwhile.
      await doQueuedCalls(until: calls)
      return calls.map(\.result)
    }

    /// Refuses calls from now on, does those that were queued, and closes the connection.
    nonisolated func close() async {
      // Before the turn of the actor, which comes after the jobs of calls: more calls would only make it later.
      queue.withLock { $0.isClosed = true }
      await finish()
    }

    /// Rewrites the file without the bytes that no row has any more, and empties the log, between two transactions.
    ///
    /// - Throws: `FlowStoreError` with the code `unavailable` if a reader keeps the log from being emptied.
    func erase() throws(FlowStoreError) {
      guard !queue.withLock({ $0.isClosed }) else { throw DatabaseFile.closed }
      do {
        let database = try openDatabase()
        try Schema.check(database, at: file.path)
        try database.execute("VACUUM")
        let isBusy = try database.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.int(0) }
        guard isBusy == 0 else {
          throw FlowStoreError(
            .unavailable,
            "another connection reads \(file.path), so its log still has deleted bytes; call erase() again when it is done"
          )
        }
      } catch {
        rollBack(after: error)
        throw file.storeError(error)
      }
    }

    private func openDatabase() throws -> Database {
      let database = try self.database ?? file.openForWriting(creates: false, now: now())
      self.database = database
      return database
    }

    private func finish() {
      while case let group = takeGroup(), !group.isEmpty { perform(group) }
      database = nil
    }

    /// Does queued calls until those of one task are done. The rest is left to the jobs of their own tasks: a job that
    /// empties the queue does not end under load, and no caller is answered.
    private func doQueuedCalls(until own: [any WriterCall]) {
      while !own.allSatisfy(\.isDone), case let group = takeGroup(), !group.isEmpty { perform(group) }
    }

    private func takeGroup() -> [any WriterCall] {
      queue.withLock { queue in
        let group = Array(queue.calls.prefix(Self.groupLimit))
        queue.calls.removeFirst(group.count)
        return group
      }
    }

    private func perform(_ group: [any WriterCall]) {
      do {
        try commit(group)
      } catch GroupFailure.whileWriting where group.count > 1 {
        // A call failed and took the others' transaction with it. Each is done alone, so that it alone fails.
        for call in group { perform([call]) }
      } catch {
        for call in group { call.fail(with: error.storeError) }
      }
    }

    /// The reason that a transaction was not committed.
    private enum GroupFailure: Error {
      /// The transaction did not begin: the fault is no call's.
      case beginning(FlowStoreError)
      /// The transaction was rolled back.
      case whileWriting(FlowStoreError)
      case committing(FlowStoreError)

      var storeError: FlowStoreError {
        switch self {
        case .beginning(let error), .whileWriting(let error), .committing(let error): error
        }
      }
    }

    private func commit(_ group: [any WriterCall]) throws(GroupFailure) {
      let transaction: WriteTransaction
      do {
        let database = try openDatabase()
        try database.execute("BEGIN IMMEDIATE")
        // A newer version may have changed the tables since they were opened.
        try Schema.check(database, at: file.path)
        transaction = WriteTransaction(database)
      } catch {
        rollBack(after: error)
        throw .beginning(file.storeError(error))
      }
      do {
        for call in group {
          transaction.now = now()
          try call.perform(in: transaction)
        }
      } catch {
        rollBack(after: error)
        throw .whileWriting(file.storeError(error))
      }
      do {
        try transaction.database.execute("COMMIT")
      } catch {
        rollBack(after: error)
        throw .committing(file.commitError(error))
      }
      if !transaction.changes.isEmpty { announce(transaction.changes) }
    }

    /// Ends the transaction. After an error of the disk the connection is closed too: the next call opens a new one.
    private func rollBack(after error: any Error) {
      guard let database else { return }
      do {
        if database.isInTransaction { try database.execute("ROLLBACK") }
      } catch {
        self.database = nil
      }
      let isBroken = [SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_NOMEM]
      if let error = error as? SQLiteError, isBroken.contains(error.primary) { self.database = nil }
    }
  }

  /// A transaction that writes, as its calls see it.
  final class WriteTransaction {
    let database: Database
    /// The time by the store's clock.
    var now = StoredTime(microseconds: 0)
    /// The changes to announce after the commit.
    var changes: [StoreChange] = []

    init(_ database: Database) {
      self.database = database
    }
  }

  /// A call of the writer's queue.
  private protocol WriterCall: Sendable {
    /// Whether the call has a result. Asked between transactions, since a result counts after the commit only.
    var isDone: Bool { get }
    /// Does the call. A refusal is its result; the errors that are thrown end the transaction.
    func perform(in transaction: WriteTransaction) throws
    /// Replaces the result: the transaction was not committed.
    func fail(with error: FlowStoreError)
  }

  private final class QueuedCall<Value: Sendable>: WriterCall {
    private let body: @Sendable (WriteTransaction) throws -> Value
    private let outcome = Lock<Result<Value, FlowStoreError>?>(nil)

    init(_ body: @escaping @Sendable (WriteTransaction) throws -> Value) {
      self.body = body
    }

    var isDone: Bool { outcome.withLock { $0 != nil } }

    /// The result, after the call was taken from the queue and done.
    var result: Result<Value, FlowStoreError> {
      outcome.withLock { $0 } ?? .failure(FlowStoreError(.unavailable, "the call was not done"))
    }

    func perform(in transaction: WriteTransaction) throws {
      let changes = transaction.changes
      try transaction.database.execute("SAVEPOINT call")
      let result: Result<Value, FlowStoreError>
      do {
        result = .success(try body(transaction))
      } catch let refusal as FlowStoreError {
        try transaction.database.execute("ROLLBACK TO call")
        transaction.changes = changes
        result = .failure(refusal)
      }
      try transaction.database.execute("RELEASE call")
      outcome.withLock { $0 = result }
    }

    func fail(with error: FlowStoreError) {
      outcome.withLock { $0 = .failure(error) }
    }
  }
#endif
