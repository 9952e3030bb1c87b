#if PostgreSQL
  import ActorFlowHosting
  import CPostgreSQL

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The rows of a statement's result, in the server's binary form. Not Sendable: the connection's thread reads it.
  final class Reply {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) {
      self.result = result
    }

    deinit { PQclear(result) }

    var rows: [Row] { (0..<PQntuples(result)).map { Row(reply: self, number: $0) } }

    /// The columns of the rows, for a statement with texts.
    var texts: [[String?]] {
      (0..<PQntuples(result)).map { row in
        (0..<PQnfields(result)).map { column in bytes(row, column).map { String(decoding: $0, as: UTF8.self) } }
      }
    }

    /// The words with which the server has answered a statement without rows.
    var tag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    /// The bytes of a column, or `nil` for NULL.
    fileprivate func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer? {
      guard PQgetisnull(result, row, column) == 0 else { return nil }
      return UnsafeRawBufferPointer(
        start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }
  }

  /// A row of a result.
  struct Row {
    fileprivate let reply: Reply
    fileprivate let number: Int32

    func isNull(_ column: Int32) -> Bool { reply.bytes(number, column) == nil }

    func optionalInt(_ column: Int32) -> Int? {
      guard let bytes = reply.bytes(number, column), let first = bytes.first else { return nil }
      return bytes.dropFirst().reduce(Int(Int8(bitPattern: first))) { $0 << 8 | Int($1) }
    }

    func int(_ column: Int32) -> Int { optionalInt(column) ?? 0 }

    func time(_ column: Int32) -> StoredTime { StoredTime(microseconds: Int64(int(column))) }

    func date(_ column: Int32) -> Date { time(column).date }

    func optionalDate(_ column: Int32) -> Date? { isNull(column) ? nil : date(column) }

    func bool(_ column: Int32) -> Bool { int(column) != 0 }

    func optionalText(_ column: Int32) -> String? { reply.bytes(number, column).map(ServerText.text) }

    func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    func bytes(_ column: Int32) -> [UInt8] { reply.bytes(number, column).map { [UInt8]($0) } ?? [] }
  }
#endif
