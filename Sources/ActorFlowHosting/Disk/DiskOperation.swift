#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An operation that the file store asks of the system: one call, or a few that fail as one.
package struct DiskOperation: Sendable, Hashable {
  package enum Kind: Sendable, Hashable, CaseIterable {
    case read, create, write, truncate, sync, rename, remove, syncDirectory, makeDirectory
    case open, status, openLock, lock
  }

  package let kind: Kind
  package let path: String
  /// The old name of a file that is renamed.
  package var source: String?
  /// The number of bytes that are read or written.
  package var count = 0
}

/// A fault that a test injects into an operation.
package enum DiskFault: Sendable {
  /// Nothing is done, and the system reports this error.
  case error(Int32)
  /// The write writes this number of bytes, then fails with this error.
  case partial(Int, Int32)
  /// The process dies before the operation: this disk does nothing any more.
  case crash
  /// The process dies during a write, after this number of bytes.
  case torn(Int)
}

/// The error for an operation that the system refused.
package struct DiskError: Error, Sendable, CustomStringConvertible {
  package let operation: DiskOperation
  /// The system's number for the error.
  package let code: Int32
  let reason: String

  package var description: String { "\(operation.kind) of \(operation.path): \(reason)" }

  /// Whether the file system or the kernel does not have the operation.
  var isOfMissingCall: Bool { code == EOPNOTSUPP || code == ENOSYS }

  /// Whether the disk or the user's share of it is full.
  var isOfFullDisk: Bool { code == ENOSPC || code == EDQUOT }
}

extension FlowStoreError {
  /// Whether certainly nothing was written, because the disk is full.
  var isOfFullDisk: Bool {
    code == .unavailable && (underlying as? DiskError)?.isOfFullDisk ?? false
  }
}
