#if SQLite
  import ActorFlowHosting
  import CSQLite

  /// An error of the database itself, as opposed to a refusal of the store.
  struct SQLiteError: Error, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    let message: String

    init(code: Int32, message: String) {
      (self.code, self.message) = (code, message)
    }

    /// The last error of a connection.
    init(code: Int32, of handle: OpaquePointer?) {
      let text = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
      self.init(code: code, message: text.map { String(cString: $0) } ?? "unknown error")
    }

    /// The primary result code.
    var primary: Int32 { code & 0xff }

    var description: String { "SQLite error \(code): \(message)" }
  }

  extension FlowStoreError {
    /// The error of a call that has certainly written nothing: it read, or its transaction was rolled back.
    init(_ error: SQLiteError, at path: String) {
      switch error.primary {
      case SQLITE_CORRUPT, SQLITE_NOTADB:
        self.init(.corrupted, "the database \(path) is damaged; restore it from a backup", underlying: error)
      case SQLITE_FULL:
        self.init(.unavailable, "the disk of \(path) is full; make room and try again", underlying: error)
      case SQLITE_READONLY:
        self.init(
          .unavailable, "\(path) cannot be written; check the owner and mode of the file and its folder",
          underlying: error)
      case SQLITE_CANTOPEN:
        self.init(
          .unavailable, "\(path) cannot be opened; check that its folder exists and can be written",
          underlying: error)
      case SQLITE_BUSY, SQLITE_LOCKED:
        self.init(
          .unavailable, "another connection has kept \(path) locked; raise `busyTime`, or end that transaction",
          underlying: error)
      case SQLITE_TOOBIG:
        self.init(.tooLarge, "a value is larger than SQLite accepts", underlying: error)
      default:
        self.init(.unavailable, "the database \(path) cannot be used: \(error.message)", underlying: error)
      }
    }

    /// The error of a commit that failed: if the disk failed, the next opener may find the transaction in the log.
    init(committing error: SQLiteError, at path: String) {
      switch error.primary {
      case SQLITE_FULL, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY: self.init(error, at: path)
      default:
        self.init(.outcomeUnknown, "the commit to \(path) failed, and may have been written", underlying: error)
      }
    }
  }
#endif
