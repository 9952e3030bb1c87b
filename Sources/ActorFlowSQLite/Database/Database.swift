#if SQLite
  import CSQLite

  /// A connection to the database, with its compiled statements. Not Sendable: an actor owns it.
  final class Database {
    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]
    private let busy: BusyWait
    private static let keptStatements = 100

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - flags: How the file is opened, besides the flags that every connection has.
    ///   - vfs: The name of the virtual file system, or `nil` for the system's own.
    ///   - busyTime: The milliseconds to wait for a lock.
    init(_ path: String, flags: Int32, vfs: String?, busyTime: Int32) throws {
      var handle: OpaquePointer?
      // A single thread at a time uses a connection, so SQLite needs no lock around each call.
      let flags = flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
      let code = sqlite3_open_v2(path, &handle, flags, vfs)
      guard code == SQLITE_OK, let handle else {
        let error = SQLiteError(code: code, of: handle)
        sqlite3_close_v2(handle)
        throw error
      }
      self.handle = handle
      busy = BusyWait(.milliseconds(busyTime))
      // Not `sqlite3_busy_timeout`, which sleeps longer each time: a process that commits without a pause would then
      // take the lock again and again before another one asks for it.
      sqlite3_busy_handler(
        handle, { wait, count in wait.map { BusyWait.goesOn($0, after: count) } ?? 0 },
        Unmanaged.passUnretained(busy).toOpaque())
    }

    deinit {
      statements = [:]
      sqlite3_close_v2(handle)
    }

    /// Whether the file can only be read.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether a transaction is open. SQLite ends it by itself after some errors.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that the last statement inserted, changed or deleted.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// The key of the row that was inserted last.
    var lastKey: Int { Int(sqlite3_last_insert_rowid(handle)) }

    /// Runs statements without parameters and results.
    func execute(_ sql: String) throws {
      let code = sqlite3_exec(handle, sql, nil, nil, nil)
      guard code == SQLITE_OK else { throw SQLiteError(code: code, of: handle) }
    }

    /// Runs a statement; returns the number of rows that it changed.
    @discardableResult
    func run(_ sql: String, _ values: SQLiteValue...) throws -> Int {
      try each(sql, values) { _ in true }
      return changes
    }

    /// Returns what `read` makes of the first row, or `nil` if there is none.
    func first<Value>(_ sql: String, _ values: SQLiteValue..., read: (Statement) throws -> Value) throws -> Value? {
      var found: Value?
      try each(sql, values) { row in
        found = try read(row)
        return false
      }
      return found
    }

    /// Returns what `read` makes of each row.
    func all<Value>(_ sql: String, _ values: SQLiteValue..., read: (Statement) throws -> Value) throws -> [Value] {
      try all(sql, values, read: read)
    }

    func all<Value>(_ sql: String, _ values: [SQLiteValue], read: (Statement) throws -> Value) throws -> [Value] {
      var found: [Value] = []
      try each(sql, values) { row in
        found.append(try read(row))
        return true
      }
      return found
    }

    /// Gives each row to `body` until that returns false. `body` may run other statements.
    func each(_ sql: String, _ values: [SQLiteValue], _ body: (Statement) throws -> Bool) throws {
      try withStatement(sql, values) { statement in
        while try statement.step(), try body(statement) {}
      }
    }

    /// Lends a statement whose parameters are bound, and which stands before its first row.
    func withStatement<Value>(
      _ sql: String, _ values: [SQLiteValue], _ body: (Statement) throws -> Value
    ) throws -> Value {
      try withStatements([(sql, values)]) { try body($0[0]) }
    }

    /// Lends several statements at once, each as ``withStatement(_:_:_:)`` does.
    func withStatements<Value>(
      _ list: [(sql: String, values: [SQLiteValue])], _ body: ([Statement]) throws -> Value
    ) throws -> Value {
      var lent: [Statement] = []
      defer {
        for (statement, (sql, _)) in zip(lent, list) {
          statement.reset()
          if statements.count >= Self.keptStatements { statements = [:] }
          statements[sql] = statement
        }
      }
      for (sql, values) in list {
        // Taken out while it is in use: a call with the same text meanwhile compiles another one.
        lent.append(try statements.removeValue(forKey: sql) ?? Statement(sql, of: handle))
        try lent[lent.count - 1].bind(values)
      }
      return try body(lent)
    }
  }

  /// The wait of a connection for a lock of another one. Used on the connection's thread only.
  private final class BusyWait {
    private let time: Duration
    private var deadline = ContinuousClock.now

    init(_ time: Duration) {
      self.time = time
    }

    /// Sleeps for a moment; returns 0 if the time is over, as SQLite expects it.
    static func goesOn(_ wait: UnsafeMutableRawPointer, after count: Int32) -> Int32 {
      let wait = Unmanaged<BusyWait>.fromOpaque(wait).takeUnretainedValue()
      if count == 0 { wait.deadline = ContinuousClock.now + wait.time }
      guard ContinuousClock.now < wait.deadline else { return 0 }
      sqlite3_sleep(1)
      return 1
    }
  }
#endif
