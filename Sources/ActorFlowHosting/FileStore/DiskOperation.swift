/// What a store on files asks of the system: one call, or a few that fail as one.
package struct DiskOperation: Sendable, Hashable {
  package enum Kind: Sendable, Hashable, CaseIterable {
    case read, create, openHistory, truncate, write, sync, rename, remove, syncDirectory, makeDirectory
    case open, status, openLock, lock
  }

  package let kind: Kind
  package let path: String
  /// The name that a rename takes away.
  package var source: String?
  /// The bytes that the read of a part asks for.
  package var count = 0
}

/// What a test lets happen instead.
package enum DiskFault: Sendable {
  /// Nothing is done, and the system says why.
  case error(Int32)
  /// A write writes so many bytes, then fails.
  case partial(Int, Int32)
  /// The process dies before the operation: nothing is done, now and ever after, by this disk.
  case crash
  /// The process dies within a write, after so many bytes.
  case torn(Int)
}

/// The system refused an operation.
package struct DiskError: Error, Sendable, CustomStringConvertible {
  package let operation: DiskOperation
  /// The system's number of the error.
  package let code: Int32
  let reason: String

  package var description: String { "\(operation.kind) of \(operation.path): \(reason)" }
}
