import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The right to use a directory, for one opener at a time, also of other processes. The system takes it back when the
/// process dies.
final class DirectoryLock: Sendable {
  private let file: Atomic<Int32>

  /// Takes the right.
  ///
  /// - Throws: `locked`, with who has it; `unavailable` if the lock's file cannot be opened.
  init(_ path: String) throws(FlowStoreError) {
    let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw Self.failure(path) }
    while flock(opened, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      let code = errno
      let holder = Self.holder(opened)
      _ = close(opened)
      guard code == EWOULDBLOCK else { throw Self.failure(path, code) }
      throw FlowStoreError(
        .locked, "\(holder) has the store open, which takes one at a time: close it there (\(path))")
    }
    file = Atomic(opened)
    let name = Array("process \(getpid()) on \(Self.host)".utf8)
    // Who holds the lock is said for people: that it cannot be written down is no reason not to hold it.
    if ftruncate(opened, 0) == 0 { _ = pwrite(opened, name, name.count, 0) }
  }

  deinit {
    giveBack()
  }

  /// Gives the right back, whoever still has a reference.
  func giveBack() {
    let opened = file.exchange(-1, ordering: .relaxed)
    guard opened >= 0 else { return }
    // Not by closing it alone: a process that is just being started has a copy, until it becomes another program.
    _ = flock(opened, LOCK_UN)
    _ = close(opened)
  }

  private static func holder(_ file: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = pread(file, &bytes, bytes.count, 0)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : "somebody"
  }

  private static var host: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "this host" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func failure(_ path: String, _ code: Int32 = errno) -> FlowStoreError {
    FlowStoreError(.unavailable, "the lock \(path) cannot be used: \(String(cString: strerror(code)))")
  }
}
