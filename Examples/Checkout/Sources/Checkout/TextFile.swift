import CheckoutFlow
import Foundation

/// Reads whole files of text.
enum TextFile {
  /// Returns the text of a file, or of a stream up to its end: a pipe, a device, or `<(…)` in a shell.
  ///
  /// Blocks until a stream has ended.
  ///
  /// - Throws: ``Problem`` with a sentence that names the path, if it is missing, a folder, unreadable, or not text.
  static func read(_ path: String) throws -> String {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Problem("There is no file \(quoted(path)).")
    }
    guard !isFolder.boolValue else { throw Problem("\(quoted(path)) is a folder; name a file.") }
    // Not the file manager's function: it reads only files with a size.
    guard let file = FileHandle(forReadingAtPath: path), let data = try? file.readToEnd() ?? Data() else {
      throw Problem("The file \(quoted(path)) cannot be read; check its permissions.")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw Problem("The file \(quoted(path)) is not text in UTF-8; save it in that encoding.")
    }
    return text
  }

  /// Whether there is a stream at this path, which gives its text once.
  static func isStream(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }
}
