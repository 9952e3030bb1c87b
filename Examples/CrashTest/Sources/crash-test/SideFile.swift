import Foundation
import Synchronization

/// A file of lines that are on the disk when ``append(_:)`` has returned, even if the process dies afterwards.
final class SideFile: Sendable {
  /// A fault of the file, with the system's error number.
  struct Failure: Error {
    let path: String
    let code: Int32
  }

  /// The end of a line that was written completely.
  private static let mark = "."
  private let path: String
  private let file: Int32
  /// The lines that ``appendOnce(_:)`` has written.
  private let written = Mutex<Set<[String]>>([])

  init(_ path: String) throws {
    self.path = path
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Failure(path: path, code: errno) }
  }

  deinit {
    _ = close(file)
  }

  /// Writes a line of fields, none of which has a tab or a line feed in it.
  func append(_ fields: [String]) throws {
    // Begun on a line of its own: the process before may have died within a line.
    let line = Array(("\n" + (fields + [Self.mark]).joined(separator: "\t") + "\n").utf8)
    // Appended in one piece, also with other writers.
    guard write(file, line, line.count) == line.count, fsync(file) == 0 else { throw Failure(path: path, code: errno) }
  }

  /// Writes a line, unless this process has written it before.
  func appendOnce(_ fields: [String]) throws {
    guard written.withLock({ !$0.contains(fields) }) else { return }
    try append(fields)
    written.withLock { _ = $0.insert(fields) }
  }

  /// The lines that were written completely, each as its fields; none if there is no file.
  static func lines(of path: String) -> [[String]] {
    let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").compactMap { line in
      var fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.popLast() == mark else { return nil }
      return fields
    }
  }
}
