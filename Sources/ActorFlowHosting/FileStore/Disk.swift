import ActorFlow
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system calls that the store needs, each of which a test can make fail.
///
/// All calls block, so they are made on the threads of a ``DiskQueue``.
package final class Disk: Sendable {
  private let fault: (@Sendable (DiskOperation) -> DiskFault?)?
  private let dead = Atomic<Bool>(false)

  package init(fault: (@Sendable (DiskOperation) -> DiskFault?)? = nil) {
    self.fault = fault
  }

  /// Returns the bytes of a file, or `nil` if there is no such file.
  func read(_ path: String) throws(DiskError) -> [UInt8]? {
    let operation = DiskOperation(kind: .read, path: path)
    try begin(operation)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 && errno == ENOENT { return nil }
    guard file >= 0 else { throw failure(operation) }
    defer { _ = close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure(operation) }
    let size = Int(status.st_size)
    // An array with no capacity is the shared empty array, and reading would write its count.
    guard size > 0 else { return [] }
    guard let bytes = Self.bytes(size, at: 0, of: file) else { throw failure(operation) }
    return bytes
  }

  /// Reads bytes of an open file, fewer only at its end; returns `nil` if the system refuses.
  static func bytes(_ size: Int, at offset: Int, of file: Int32) -> [UInt8]? {
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = pread(file, buffer.baseAddress.map { $0 + count }, size - count, off_t(offset + count))
        if got < 0 && errno == EINTR { continue }
        failed = got < 0
        if got <= 0 { break }
        count += got
      }
    }
    return failed ? nil : bytes
  }

  /// Writes a new file, and returns when its bytes are on the disk.
  func write(_ bytes: [UInt8], to path: String) throws(DiskError) {
    let operation = DiskOperation(kind: .create, path: path)
    try begin(operation)
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(operation) }
    defer { _ = close(file) }
    try write(bytes, to: file, at: 0, path)
    try sync(file, path)
  }

  /// Cuts a file off at an offset and appends bytes there; returns when they are on the disk.
  ///
  /// - Returns: Whether the file may be new, so that its directory has to be synced.
  func append(_ bytes: [UInt8], to path: String, at offset: Int) throws(DiskError) -> Bool {
    let opening = DiskOperation(kind: .openHistory, path: path)
    try begin(opening)
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(opening) }
    defer { _ = close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure(opening) }
    if Int(status.st_size) > offset {
      let cutting = DiskOperation(kind: .truncate, path: path)
      try begin(cutting)
      guard ftruncate(file, off_t(offset)) == 0 else { throw failure(cutting) }
    }
    try write(bytes, to: file, at: offset, path)
    try sync(file, path)
    return offset == 0
  }

  func rename(_ path: String, to target: String) throws(DiskError) {
    let operation = DiskOperation(kind: .rename, path: target, source: path)
    try begin(operation)
    // A free function, since `rename` means the method here; the C function has these types on all systems.
    guard systemRename(path, target) == 0 else { throw failure(operation) }
  }

  /// Removes a file, or does nothing if there is no such file.
  func remove(_ path: String) throws(DiskError) {
    let operation = DiskOperation(kind: .remove, path: path)
    try begin(operation)
    guard unlink(path) == 0 || errno == ENOENT else { throw failure(operation) }
  }

  /// Returns when the names in a directory are on the disk.
  func syncDirectory(_ path: String) throws(DiskError) {
    let operation = DiskOperation(kind: .syncDirectory, path: path)
    try begin(operation)
    let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw failure(operation) }
    defer { _ = close(directory) }
    while fsync(directory) != 0 {
      guard errno == EINTR else { throw failure(operation) }
    }
  }

  /// Makes a directory; returns `false` if it exists already.
  func makeDirectory(_ path: String) throws(DiskError) -> Bool {
    let operation = DiskOperation(kind: .makeDirectory, path: path)
    try begin(operation)
    if mkdir(path, 0o700) == 0 { return true }
    guard errno == EEXIST else { throw failure(operation) }
    return false
  }

  /// The names in a directory.
  func names(in path: String) throws -> [String] {
    try begin(DiskOperation(kind: .read, path: path))
    return try FileManager.default.contentsOfDirectory(atPath: path)
  }

  // MARK: -

  private func write(_ bytes: [UInt8], to file: Int32, at offset: Int, _ path: String) throws(DiskError) {
    let operation = DiskOperation(kind: .write, path: path)
    var count = bytes.count
    let fault = try begin(operation)
    switch fault {
    case .partial(let part, _), .torn(let part): count = min(part, bytes.count)
    case .error, .crash, nil: break
    }
    var done = 0
    while done < count {
      let written = bytes.withUnsafeBytes { buffer in
        pwrite(file, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
      }
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { throw failure(operation, written == 0 ? ENOSPC : errno) }
      done += written
    }
    switch fault {
    case .partial(_, let code): throw failure(operation, code)
    case .torn: throw failure(operation, EIO)
    case .error, .crash, nil: break
    }
  }

  private func sync(_ file: Int32, _ path: String) throws(DiskError) {
    let operation = DiskOperation(kind: .sync, path: path)
    try begin(operation)
    #if canImport(Darwin)
      guard fcntl(file, F_FULLFSYNC) != -1 else { throw failure(operation) }
    #else
      while fdatasync(file) != 0 {
        guard errno == EINTR else { throw failure(operation) }
      }
    #endif
  }

  /// Asks the test for a fault; throws it, or returns it if the write has to begin first.
  @discardableResult
  func begin(_ operation: DiskOperation) throws(DiskError) -> DiskFault? {
    guard let fault else { return nil }
    if dead.load(ordering: .relaxed) { throw failure(operation, EIO) }
    let found = fault(operation)
    switch found {
    case nil: return nil
    case .error(let code): throw failure(operation, code)
    case .partial: return found
    case .crash:
      dead.store(true, ordering: .relaxed)
      throw failure(operation, EIO)
    case .torn:
      dead.store(true, ordering: .relaxed)
      return found
    }
  }

  func failure(_ operation: DiskOperation, _ code: Int32 = errno) -> DiskError {
    DiskError(operation: operation, code: code, reason: String(cString: strerror(code)))
  }
}

private func systemRename(_ path: String, _ target: String) -> Int32 {
  rename(path, target)
}
