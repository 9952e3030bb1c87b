#if SQLite
  import ActorFlow
  import ActorFlowHosting

  /// A connection that reads, on a thread of its own.
  actor Reader {
    private nonisolated let executor: BlockingExecutor
    private let file: DatabaseFile
    private var database: Database?
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ file: DatabaseFile, label: String) {
      (self.file, executor) = (file, BlockingExecutor(label))
    }

    /// Reads in one transaction: all statements of `body` see the same moment.
    func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) throws(FlowStoreError) -> Value {
      guard !isClosed else { throw DatabaseFile.closed }
      do {
        let database = try self.database ?? file.openForReading()
        self.database = database
        try database.execute("BEGIN")
        defer { if database.isInTransaction { try? database.execute("ROLLBACK") } }
        // A newer version may have changed the tables since they were opened.
        try Schema.check(database, at: file.path)
        return try body(database)
      } catch {
        // The next call opens a new connection: this one may have been broken by the error.
        if error is SQLiteError { database = nil }
        throw file.storeError(error)
      }
    }

    func close() {
      isClosed = true
      database = nil
    }
  }

  /// The connections that read. Each call goes to the one with the fewest calls under way.
  final class Readers: Sendable {
    private let readers: [Reader]
    private let calls: Lock<[Int]>

    init(_ file: DatabaseFile, count: Int) {
      readers = (0..<count).map { Reader(file, label: "ActorFlow.sqlite.read.\($0)") }
      calls = Lock(Array(repeating: 0, count: count))
    }

    func read<Value: Sendable>(
      _ body: @Sendable (Database) throws -> Value
    ) async throws(FlowStoreError) -> Value {
      let index = calls.withLock { calls in
        let index = calls.indices.min { calls[$0] < calls[$1] } ?? 0
        calls[index] += 1
        return index
      }
      defer { calls.withLock { $0[index] -= 1 } }
      return try await readers[index].read(body)
    }

    func close() async {
      for reader in readers { await reader.close() }
    }
  }
#endif
