#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

import ActorFlow

/// An exclusive lock on a directory: one opener at a time, across processes.
///
/// The system releases the lock when the process dies. The lock belongs to a file, not to the name of the file: if the
/// name is removed, another opener creates and locks a new file. So the name is compared with the locked file when the
/// lock is taken, and before each write.
final class DirectoryLock: Sendable {
  private let path: String
  private let disk: Disk
  private let identity: FileIdentity
  private let file: Lock<DiskFile?>

  /// Takes the lock.
  ///
  /// - Throws: `locked`, with the holder's name; `unavailable` if the lock file cannot be used.
  init(_ path: String, _ disk: Disk) throws(FlowStoreError) {
    for _ in 0..<100 {
      guard let (file, identity) = try Self.take(path, disk) else { continue }
      (self.path, self.disk, self.identity) = (path, disk, identity)
      self.file = Lock(file)
      disk.note("process \(getpid()) on \(Self.host)", in: file)
      return
    }
    throw FlowStoreError(.unavailable, "another process keeps replacing the lock \(path); find and stop it")
  }

  deinit {
    giveBack()
  }

  /// Releases the lock, even while there are references to this object.
  func giveBack() {
    let file = file.withLock { $0.take() }
    if let file { disk.unlock(file) }
  }

  /// Throws `locked` if the lock file was removed or replaced, so that another process may have the directory.
  func check() throws(FlowStoreError) {
    let found: FileIdentity?
    do {
      found = try disk.identity(at: path)
    } catch {
      throw Self.unusable(path, error)
    }
    guard found != identity else { return }
    throw FlowStoreError(
      .locked,
      """
      the lock \(path) was \(found == nil ? "removed" : "replaced") while the store was open, so another process may \
      have opened the store: nothing was written. Close this store, make sure that no other process uses the \
      directory, and reopen the store
      """)
  }

  /// Opens and locks the file, or returns `nil` if its name was removed or replaced meanwhile.
  private static func take(_ path: String, _ disk: Disk) throws(FlowStoreError) -> (DiskFile, FileIdentity)? {
    do {
      let file = try disk.openLock(path)
      if try disk.lock(file) {
        let identity = try disk.identity(of: file)
        return try disk.identity(at: path) == identity ? (file, identity) : nil
      }
      let holder = String(decoding: try disk.read(512, at: 0, of: file), as: UTF8.self)
      throw FlowStoreError(
        .locked,
        "\(holder.isEmpty ? "another process" : holder) has the store open, and only one process can open it: close it "
          + "there (\(path))")
    } catch let error as DiskError {
      throw unusable(path, error)
    } catch let error as FlowStoreError {
      throw error
    } catch {
      throw FlowStoreError(.unavailable, "the lock \(path) cannot be used", underlying: error)
    }
  }

  private static var host: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "this host" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func unusable(_ path: String, _ error: DiskError) -> FlowStoreError {
    FlowStoreError(.unavailable, "the lock \(path) cannot be used", underlying: error)
  }
}
