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

/// The files of the operating system.
struct SystemFiles: FileSystem {
  func open(_ path: String, _ access: FileAccess) throws(SystemFailure) -> (any SystemFile)? {
    let flags: Int32 =
      switch access {
      case .read: O_RDONLY
      case .create: O_RDWR | O_CREAT | O_TRUNC
      case .lock: O_RDWR | O_CREAT
      }
    let descriptor = systemOpen(path, flags | O_CLOEXEC, 0o600)
    if descriptor < 0 && errno == ENOENT && access == .read { return nil }
    guard descriptor >= 0 else { throw SystemFailure(errno) }
    return OpenFile(descriptor)
  }

  func rename(_ path: String, to target: String) throws(SystemFailure) {
    // A free function, since `rename` means the method here; the C function has these types on all systems.
    guard systemRename(path, target) == 0 else { throw SystemFailure(errno) }
  }

  func remove(_ path: String) throws(SystemFailure) {
    if unlink(path) == 0 || errno == ENOENT { return }
    // The error for a directory differs between systems.
    guard errno == EISDIR || errno == EPERM, rmdir(path) == 0 else { throw SystemFailure(errno) }
  }

  func syncDirectory(_ path: String) throws(SystemFailure) {
    let directory = systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard directory >= 0 else { throw SystemFailure(errno) }
    defer { _ = close(directory) }
    while fsync(directory) != 0 {
      guard errno == EINTR else { throw SystemFailure(errno) }
    }
  }

  func makeDirectory(_ path: String) throws(SystemFailure) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    guard errno == EEXIST else { throw SystemFailure(errno) }
    return false
  }

  func names(in path: String) throws(SystemFailure) -> [String] {
    do { return try FileManager.default.contentsOfDirectory(atPath: path) } catch {
      throw SystemFailure(try identity(at: path) == nil ? ENOENT : EIO)
    }
  }

  func identity(at path: String) throws(SystemFailure) -> FileIdentity? {
    var status = stat()
    if stat(path, &status) == 0 { return FileIdentity(status) }
    guard errno == ENOENT || errno == ENOTDIR else { throw SystemFailure(errno) }
    return nil
  }
}

private final class OpenFile: SystemFile {
  private let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    _ = close(descriptor)
  }

  func read(_ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8] {
    // An array with no capacity is the shared empty array, and reading would write its count.
    guard count > 0 else { return [] }
    var failure: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      while done < count {
        let got = pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
        if got < 0 && errno == EINTR { continue }
        if got < 0 { failure = errno }
        if got <= 0 { break }
        done += got
      }
    }
    if let failure { throw SystemFailure(failure) }
    return bytes
  }

  func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(SystemFailure) {
    var done = 0
    while done < bytes.count {
      let written = bytes.withUnsafeBytes { buffer in
        pwrite(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(offset + done))
      }
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { throw SystemFailure(written == 0 ? ENOSPC : errno) }
      done += written
    }
  }

  func sync() throws(SystemFailure) {
    #if canImport(Darwin)
      guard fcntl(descriptor, F_FULLFSYNC) != -1 else { throw SystemFailure(errno) }
    #else
      while fdatasync(descriptor) != 0 {
        guard errno == EINTR else { throw SystemFailure(errno) }
      }
    #endif
  }

  func truncate(to size: Int) throws(SystemFailure) {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw SystemFailure(errno) }
  }

  func reserve(_ size: Int) throws(SystemFailure) {
    #if canImport(Darwin)
      // No call reserves the blocks of a hole here, so they are written.
      try write(ArraySlice(repeating: 0, count: size), at: 0)
    #else
      let code = posix_fallocate(descriptor, 0, off_t(size))
      guard code == 0 else { throw SystemFailure(code) }
    #endif
  }

  func size() throws(SystemFailure) -> Int {
    Int(try status().st_size)
  }

  func identity() throws(SystemFailure) -> FileIdentity {
    FileIdentity(try status())
  }

  func lock() throws(SystemFailure) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      guard errno == EWOULDBLOCK else { throw SystemFailure(errno) }
      return false
    }
    return true
  }

  func unlock() {
    _ = flock(descriptor, LOCK_UN)
  }

  private func status() throws(SystemFailure) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemFailure(errno) }
    return status
  }
}

extension FileIdentity {
  fileprivate init(_ status: stat) {
    self.init(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
  }
}

private func systemRename(_ path: String, _ target: String) -> Int32 {
  rename(path, target)
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  open(path, flags, mode)
}
