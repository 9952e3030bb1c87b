#if SQLite
  import ActorFlowHosting
  import CSQLite

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A compiled statement. The connection that made it keeps it for the next call with the same text.
  ///
  /// Not Sendable, like the connection.
  final class Statement {
    /// SQLite copies what is bound.
    private static let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    private static let noBytes: [UInt8] = [0]

    private let handle: OpaquePointer
    private let database: OpaquePointer

    init(_ sql: String, of database: OpaquePointer) throws {
      var handle: OpaquePointer?
      let code = sqlite3_prepare_v2(database, sql, -1, &handle, nil)
      guard code == SQLITE_OK, let handle else { throw SQLiteError(code: code, of: database) }
      (self.handle, self.database) = (handle, database)
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ values: [SQLiteValue]) throws {
      for (index, value) in zip(Int32(1)..., values) {
        let code =
          switch value {
          case .null: sqlite3_bind_null(handle, index)
          case .int(let number): sqlite3_bind_int64(handle, index, Int64(number))
          case .text(let text): bind(text, at: index)
          case .blob(let bytes): bind(bytes, at: index)
          }
        guard code == SQLITE_OK else { throw SQLiteError(code: code, of: database) }
      }
    }

    /// The byte count is passed, so a text may contain U+0000.
    private func bind(_ text: String, at index: Int32) -> Int32 {
      var text = text
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          sqlite3_bind_text64(
            handle, index, characters.baseAddress, UInt64(characters.count), Self.copies, UInt8(SQLITE_UTF8))
        }
      }
    }

    /// An array without elements may have no address, and SQLite takes a missing address for NULL.
    private func bind(_ bytes: [UInt8], at index: Int32) -> Int32 {
      guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
      return sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), Self.copies)
    }

    /// Goes to the next row; returns false at the end.
    func step() throws -> Bool {
      switch sqlite3_step(handle) {
      case SQLITE_ROW: return true
      case SQLITE_DONE: return false
      case let code: throw SQLiteError(code: code, of: database)
      }
    }

    /// Makes the statement ready for the next call. An error of the last step is returned again, and was thrown by it.
    func reset() {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
  }

  /// The columns of the row where a statement stands.
  extension Statement {
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

    func optionalInt(_ column: Int32) -> Int? { isNull(column) ? nil : int(column) }

    func time(_ column: Int32) -> StoredTime { StoredTime(microseconds: Int64(int(column))) }

    func date(_ column: Int32) -> Date { time(column).date }

    func optionalDate(_ column: Int32) -> Date? { isNull(column) ? nil : date(column) }

    func bool(_ column: Int32) -> Bool { int(column) != 0 }

    func text(_ column: Int32) -> String {
      guard let start = sqlite3_column_text(handle, column) else { return "" }
      let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
      return String(decoding: bytes, as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    func bytes(_ column: Int32) -> [UInt8] {
      guard let start = sqlite3_column_blob(handle, column) else { return [] }
      return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }
  }
#endif
