#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file, to read parts of it or to lock it; it is closed with its last reference.
final class DiskFile: Sendable {
  let path: String
  fileprivate let descriptor: Int32

  fileprivate init(_ path: String, _ descriptor: Int32) {
    (self.path, self.descriptor) = (path, descriptor)
  }

  deinit {
    _ = close(descriptor)
  }
}

/// The identity of a file, whatever its name; two files that exist at the same time have different identities.
struct FileIdentity: Sendable, Equatable {
  let device: UInt64
  let inode: UInt64

  fileprivate init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

extension Disk {
  /// Opens a file for reading parts of it; returns `nil` if there is no such file.
  func openFile(_ path: String) throws(DiskError) -> DiskFile? {
    let operation = DiskOperation(kind: .open, path: path)
    try begin(operation)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 && errno == ENOENT { return nil }
    guard file >= 0 else { throw failure(operation) }
    return DiskFile(path, file)
  }

  /// Reads a part of a file; returns fewer bytes only at the file's end.
  func read(_ count: Int, at offset: Int, of file: DiskFile) throws(DiskError) -> [UInt8] {
    let operation = DiskOperation(kind: .read, path: file.path, count: count)
    try begin(operation)
    guard count > 0 else { return [] }
    guard let bytes = Self.bytes(count, at: offset, of: file.descriptor) else { throw failure(operation) }
    return bytes
  }

  /// The size of an open file in bytes.
  func size(of file: DiskFile) throws(DiskError) -> Int {
    Int(try status(of: file).st_size)
  }

  /// Returns whether a file has this name.
  func exists(_ path: String) throws(DiskError) -> Bool {
    try identity(at: path) != nil
  }

  // MARK: - Locks

  /// Opens a lock file, and creates it if it is missing.
  func openLock(_ path: String) throws(DiskError) -> DiskFile {
    let operation = DiskOperation(kind: .openLock, path: path)
    try begin(operation)
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(operation) }
    return DiskFile(path, file)
  }

  /// Locks a file; returns `false` if it is locked already.
  func lock(_ file: DiskFile) throws(DiskError) -> Bool {
    let operation = DiskOperation(kind: .lock, path: file.path)
    try begin(operation)
    while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      guard errno == EWOULDBLOCK else { throw failure(operation) }
      return false
    }
    return true
  }

  /// Releases a lock, even while a process that is being started has a copy of the open file.
  func unlock(_ file: DiskFile) {
    _ = flock(file.descriptor, LOCK_UN)
  }

  /// Replaces the content of an open file with a short text for people; does not sync it or report errors.
  func note(_ text: String, in file: DiskFile) {
    let bytes = Array(text.utf8)
    if ftruncate(file.descriptor, 0) == 0 { _ = pwrite(file.descriptor, bytes, bytes.count, 0) }
  }

  /// The identity of an open file.
  func identity(of file: DiskFile) throws(DiskError) -> FileIdentity {
    FileIdentity(try status(of: file))
  }

  /// The identity of the file that has this name now, or `nil` if there is none.
  func identity(at path: String) throws(DiskError) -> FileIdentity? {
    let operation = DiskOperation(kind: .status, path: path)
    try begin(operation)
    var status = stat()
    if stat(path, &status) == 0 { return FileIdentity(status) }
    guard errno == ENOENT || errno == ENOTDIR else { throw failure(operation) }
    return nil
  }

  private func status(of file: DiskFile) throws(DiskError) -> stat {
    let operation = DiskOperation(kind: .status, path: file.path)
    try begin(operation)
    var status = stat()
    guard fstat(file.descriptor, &status) == 0 else { throw failure(operation) }
    return status
  }
}
