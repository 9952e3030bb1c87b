import Foundation

/// Files that only the owner of the process reads: they have session hashes, the bank's secret and the operators' token.
enum PrivateFile {
  /// The error for a file that could not be written.
  struct NotWritten: Error, CustomStringConvertible {
    let path: String
    let reason: String
    var description: String { "\(path) could not be written: \(reason)" }
  }

  /// Creates a directory that only its owner enters. One that exists is left as it is: it may be shared.
  static func makeDirectory(_ directory: URL) throws {
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Writes a file whole or not at all. It has the mode 0600 from its first byte on.
  static func write(_ data: Data, to file: URL) throws {
    let temporary = file.path + ".new"
    do { try FileManager.default.removeItem(atPath: temporary) } catch CocoaError.fileNoSuchFile {
      // No process has died while it wrote the file.
    }
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(temporary) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try handle.write(contentsOf: data)
    try handle.synchronize()
    try handle.close()
    guard rename(temporary, file.path) == 0 else { throw failure(file.path) }
  }

  private static func failure(_ path: String) -> NotWritten {
    NotWritten(path: path, reason: String(cString: strerror(errno)))
  }
}
