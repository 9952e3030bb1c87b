import ActorFlow
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The operations that the store needs, each of which a test can count or make fail.
///
/// All calls block, so they are made on the threads of the store.
package final class Disk: Sendable {
  private let fault: (@Sendable (DiskOperation) -> DiskFault?)?
  private let system: any FileSystem
  private let dead = Atomic<Bool>(false)

  /// Creates a disk of the operating system's files.
  package convenience init(fault: (@Sendable (DiskOperation) -> DiskFault?)? = nil) {
    self.init(SystemFiles(), fault: fault)
  }

  package init(_ system: any FileSystem, fault: (@Sendable (DiskOperation) -> DiskFault?)? = nil) {
    (self.system, self.fault) = (system, fault)
  }

  // MARK: - Names

  func rename(_ path: String, to target: String) throws(DiskError) {
    try perform(DiskOperation(kind: .rename, path: target, source: path)) { () throws(SystemFailure) in
      try system.rename(path, to: target)
    }
  }

  /// Removes a file or an empty directory, or does nothing if there is no such file.
  func remove(_ path: String) throws(DiskError) {
    try perform(DiskOperation(kind: .remove, path: path)) { () throws(SystemFailure) in try system.remove(path) }
  }

  /// Returns when the names in a directory are on the disk.
  func syncDirectory(_ path: String) throws(DiskError) {
    try perform(DiskOperation(kind: .syncDirectory, path: path)) { () throws(SystemFailure) in
      try system.syncDirectory(path)
    }
  }

  /// Makes a directory; returns `false` if it exists already.
  func makeDirectory(_ path: String) throws(DiskError) -> Bool {
    try perform(DiskOperation(kind: .makeDirectory, path: path)) { () throws(SystemFailure) in
      try system.makeDirectory(path)
    }
  }

  /// The names in a directory.
  func names(in path: String) throws(DiskError) -> [String] {
    try perform(DiskOperation(kind: .read, path: path)) { () throws(SystemFailure) in try system.names(in: path) }
  }

  /// Returns whether a file has this name.
  func exists(_ path: String) throws(DiskError) -> Bool {
    try identity(at: path) != nil
  }

  /// The identity of the file that has this name now, or `nil` if there is none.
  func identity(at path: String) throws(DiskError) -> FileIdentity? {
    try perform(DiskOperation(kind: .status, path: path)) { () throws(SystemFailure) in
      try system.identity(at: path)
    }
  }

  // MARK: - Whole files

  /// Returns the bytes of a file, or `nil` if there is no such file.
  func read(_ path: String) throws(DiskError) -> [UInt8]? {
    let operation = DiskOperation(kind: .read, path: path)
    return try perform(operation) { () throws(SystemFailure) -> [UInt8]? in
      guard let file = try system.open(path, .read) else { return nil }
      return try file.read(try file.size(), at: 0)
    }
  }

  /// Writes a new file, and returns when its bytes are on the disk.
  func write(_ bytes: [UInt8], to path: String) throws(DiskError) {
    let file = try createFile(path)
    try write(bytes[...], at: 0, to: file)
    try sync(file)
  }

  // MARK: - Open files

  /// Opens a file for reading parts of it; returns `nil` if there is no such file.
  func openFile(_ path: String) throws(DiskError) -> DiskFile? {
    try perform(DiskOperation(kind: .open, path: path)) { () throws(SystemFailure) in
      try system.open(path, .read).map { DiskFile(path, $0) }
    }
  }

  /// Opens a new, empty file.
  func createFile(_ path: String) throws(DiskError) -> DiskFile {
    try opened(DiskOperation(kind: .create, path: path), .create)
  }

  /// Reads a part of a file; returns fewer bytes only at the file's end.
  func read(_ count: Int, at offset: Int, of file: DiskFile) throws(DiskError) -> [UInt8] {
    try perform(DiskOperation(kind: .read, path: file.path, count: count)) { () throws(SystemFailure) in
      try file.system.read(count, at: offset)
    }
  }

  /// The size of an open file in bytes.
  func size(of file: DiskFile) throws(DiskError) -> Int {
    try perform(DiskOperation(kind: .status, path: file.path)) { () throws(SystemFailure) in try file.system.size() }
  }

  /// Writes a part of a file, which may be lost until ``sync(_:)`` returns.
  func write(_ bytes: ArraySlice<UInt8>, at offset: Int, to file: DiskFile) throws(DiskError) {
    let operation = DiskOperation(kind: .write, path: file.path, count: bytes.count)
    let fault = try begin(operation)
    var count = bytes.count
    switch fault {
    case .partial(let part, _), .torn(let part): count = min(part, bytes.count)
    case .error, .crash, nil: break
    }
    do { try file.system.write(bytes.prefix(count), at: offset) } catch { throw failure(operation, error.code) }
    switch fault {
    case .partial(_, let code): throw failure(operation, code)
    case .torn: throw failure(operation, EIO)
    case .error, .crash, nil: break
    }
  }

  /// Returns when the bytes of a file are on the disk.
  func sync(_ file: DiskFile) throws(DiskError) {
    try perform(DiskOperation(kind: .sync, path: file.path)) { () throws(SystemFailure) in try file.system.sync() }
  }

  /// Cuts a file off; the bytes may come back until ``sync(_:)`` returns.
  func truncate(_ file: DiskFile, to size: Int) throws(DiskError) {
    try perform(DiskOperation(kind: .truncate, path: file.path)) { () throws(SystemFailure) in
      try file.system.truncate(to: size)
    }
  }

  /// Takes the space for this number of bytes of a new file.
  func reserve(_ size: Int, for file: DiskFile) throws(DiskError) {
    let operation = DiskOperation(kind: .write, path: file.path, count: size)
    let fault = try begin(operation)
    // A part of the space is none.
    if case .partial(_, let code)? = fault { throw failure(operation, code) }
    do { try file.system.reserve(size) } catch { throw failure(operation, error.code) }
  }

  // MARK: - Locks

  /// Opens a lock file, and creates it if it is missing.
  func openLock(_ path: String) throws(DiskError) -> DiskFile {
    try opened(DiskOperation(kind: .openLock, path: path), .lock)
  }

  /// Locks a file; returns `false` if it is locked already.
  func lock(_ file: DiskFile) throws(DiskError) -> Bool {
    try perform(DiskOperation(kind: .lock, path: file.path)) { () throws(SystemFailure) in try file.system.lock() }
  }

  /// Releases a lock, even while a process that is being started has a copy of the open file.
  func unlock(_ file: DiskFile) { file.system.unlock() }

  /// Replaces the content of an open file with a short text for people; does not sync it or report errors.
  func note(_ text: String, in file: DiskFile) {
    guard (try? file.system.truncate(to: 0)) != nil else { return }
    try? file.system.write(Array(text.utf8)[...], at: 0)
  }

  /// The identity of an open file.
  func identity(of file: DiskFile) throws(DiskError) -> FileIdentity {
    try perform(DiskOperation(kind: .status, path: file.path)) { () throws(SystemFailure) in
      try file.system.identity()
    }
  }

  // MARK: -

  private func opened(_ operation: DiskOperation, _ access: FileAccess) throws(DiskError) -> DiskFile {
    let file = try perform(operation) { () throws(SystemFailure) in try system.open(operation.path, access) }
    guard let file else { throw failure(operation, ENOENT) }
    return DiskFile(operation.path, file)
  }

  private func perform<Value>(
    _ operation: DiskOperation, _ body: () throws(SystemFailure) -> Value
  ) throws(DiskError) -> Value {
    try begin(operation)
    do { return try body() } catch { throw failure(operation, error.code) }
  }

  /// Asks the test for a fault; throws it, or returns it if the write has to begin first.
  @discardableResult
  private func begin(_ operation: DiskOperation) throws(DiskError) -> DiskFault? {
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

  private func failure(_ operation: DiskOperation, _ code: Int32) -> DiskError {
    DiskError(operation: operation, code: code, reason: String(cString: strerror(code)))
  }
}

/// An open file of a ``Disk``; it is closed with its last reference.
final class DiskFile: Sendable {
  let path: String
  fileprivate let system: any SystemFile

  fileprivate init(_ path: String, _ system: any SystemFile) {
    (self.path, self.system) = (path, system)
  }
}
