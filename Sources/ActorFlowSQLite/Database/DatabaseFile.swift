#if SQLite
  import ActorFlowHosting
  import CSQLite

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The file of a store, and the way to open connections to it.
  struct DatabaseFile: Sendable {
    private(set) var path: String
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

    /// Makes the path absolute, so that connections which are opened after a change of the current folder open the same
    /// file, and so that SQLite takes no name for a URI.
    mutating func makePathAbsolute() {
      if !path.hasPrefix("/") { path = FileManager.default.currentDirectoryPath + "/" + path }
    }

    /// Opens the connection that writes, and makes every commit sync the log.
    ///
    /// - Parameter creates: Whether a missing file and missing tables are created. Not so when a store that was open
    ///   opens a connection again: the flows would be gone without an error.
    func openForWriting(creates: Bool, now: StoredTime) throws -> Database {
      guard sqlite3_threadsafe() != 0, sqlite3_libversion_number() >= 3_037_000 else {
        let version = String(cString: sqlite3_libversion())
        throw FlowStoreError(
          .unavailable, "the store needs SQLite 3.37 or newer, compiled for threads; this is \(version)")
      }
      let flags = creates ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE
      let database = try Database(path, flags: flags, vfs: vfs, busyTime: busyTime)
      guard !database.isReadOnly else {
        throw FlowStoreError(
          .unavailable, "\(path) can only be read; check the owner and mode of the file and its folder")
      }
      let encoding = try database.first("PRAGMA encoding") { $0.text(0) } ?? ""
      guard encoding == "UTF-8" else {
        throw FlowStoreError(.unsupportedFormat, "the texts of \(path) are \(encoding); the store needs UTF-8")
      }
      // Before anything is written to a file that may be another one.
      if !creates { try Schema.checkTables(of: database, at: path) }
      try useLog(database)
      // After the mode is WAL: some wrappers set `synchronous` back when they change the mode. A store that does not
      // sync still looks right, so what holds is read back.
      try syncCommits(of: database)
      guard try database.first("PRAGMA synchronous", read: { $0.int(0) }) == 2 else {
        throw FlowStoreError(.unavailable, "this SQLite does not sync its commits to \(path)")
      }
      // A log that one long read has let grow is cut after the next checkpoint.
      try database.execute("PRAGMA journal_size_limit = 67108864")
      if creates { try Schema.migrate(database, at: path, now: now) }
      return database
    }

    private func syncCommits(of database: Database) throws {
      try database.execute("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
    }

    /// Puts the file into WAL mode. While another process does the same, SQLite refuses at once instead of waiting.
    private func useLog(_ database: Database) throws {
      let deadline = ContinuousClock.now + .milliseconds(busyTime)
      while true {
        do {
          let mode = try database.first("PRAGMA journal_mode = WAL") { $0.text(0) } ?? ""
          guard mode == "wal" else {
            throw FlowStoreError(
              .unavailable, "\(path) has the journal mode \(mode) and cannot use WAL; is its folder on another machine?"
            )
          }
          return
        } catch let error as SQLiteError where error.primary == SQLITE_BUSY && ContinuousClock.now < deadline {
          sqlite3_sleep(1)
        }
      }
    }

    /// Opens a connection that reads.
    func openForReading() throws -> Database {
      let database = try Database(path, flags: SQLITE_OPEN_READWRITE, vfs: vfs, busyTime: busyTime)
      // The last connection that is closed moves the log into the file, and that may be this one.
      try syncCommits(of: database)
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
