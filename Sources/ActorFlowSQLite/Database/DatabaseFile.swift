#if SQLite
  import ActorFlowHosting
  import CSQLite

  /// The file of a store, and the way to open connections to it.
  struct DatabaseFile: Sendable {
    let path: String
    /// The name of the virtual file system; `nil` for the system's own.
    var vfs: String?
    /// The milliseconds to wait for a lock of another connection.
    var busyTime: Int32

    /// The error of a path that names no file: SQLite would open a database in memory or a temporary one, a different
    /// one for each connection.
    func checkPath() throws(FlowStoreError) {
      guard !path.isEmpty, path != ":memory:", !path.utf8.contains(0) else {
        throw FlowStoreError(
          .unavailable, "'\(path)' is not the path of a file; for a store in memory use MemoryFlowStore")
      }
    }

    /// Opens the connection that writes: creates the file and the tables, and makes every commit sync the log.
    func openForWriting(now: StoredTime) throws -> Database {
      guard sqlite3_threadsafe() != 0, sqlite3_libversion_number() >= 3_037_000 else {
        let version = String(cString: sqlite3_libversion())
        throw FlowStoreError(
          .unavailable, "the store needs SQLite 3.37 or newer, compiled for threads; this is \(version)")
      }
      let database = try Database(
        path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs: vfs, busyTime: busyTime)
      guard !database.isReadOnly else {
        throw FlowStoreError(
          .unavailable, "\(path) can only be read; check the owner and mode of the file and its folder")
      }
      let encoding = try database.first("PRAGMA encoding") { $0.text(0) } ?? ""
      guard encoding == "UTF-8" else {
        throw FlowStoreError(.unsupportedFormat, "the texts of \(path) are \(encoding); the store needs UTF-8")
      }
      try useLog(database)
      // After the mode is WAL: some wrappers set `synchronous` back when they change the mode. A store that does not
      // sync still looks right, so what holds is read back.
      try database.execute("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
      guard try database.first("PRAGMA synchronous", read: { $0.int(0) }) == 2 else {
        throw FlowStoreError(.unavailable, "this SQLite does not sync its commits to \(path)")
      }
      try Schema.migrate(database, at: path, now: now)
      return database
    }

    /// Puts the file into WAL mode. While another process does the same, SQLite refuses at once instead of waiting.
    private func useLog(_ database: Database) throws {
      var tries = 0
      while true {
        do {
          let mode = try database.first("PRAGMA journal_mode = WAL") { $0.text(0) } ?? ""
          guard mode == "wal" else {
            throw FlowStoreError(
              .unavailable, "\(path) has the journal mode \(mode) and cannot use WAL; is its folder on another machine?"
            )
          }
          return
        } catch let error as SQLiteError where error.primary == SQLITE_BUSY && tries * 10 < busyTime {
          tries += 1
          sqlite3_sleep(10)
        }
      }
    }

    /// Opens a connection that reads.
    func openForReading() throws -> Database {
      let database = try Database(path, flags: SQLITE_OPEN_READWRITE, vfs: vfs, busyTime: busyTime)
      try database.execute("PRAGMA query_only = ON")
      return database
    }
  }

  extension DatabaseFile {
    /// The error of a call that has certainly written nothing.
    func storeError(_ error: any Error) -> FlowStoreError {
      switch error {
      case let error as FlowStoreError: error
      case let error as SQLiteError: FlowStoreError(error, at: path)
      default: FlowStoreError(.corrupted, "a row of \(path) cannot be read", underlying: error)
      }
    }

    /// The error of a commit that failed.
    func commitError(_ error: any Error) -> FlowStoreError {
      guard let error = error as? SQLiteError else { return storeError(error) }
      return FlowStoreError(committing: error, at: path)
    }

    static var closed: FlowStoreError { FlowStoreError(.unavailable, "the store is closed") }
  }
#endif
