import CheckoutFlow
import Foundation

/// Reads whole files of text.
enum TextFile {
  /// The text of the file.
  ///
  /// - Throws: ``Refusal`` with a sentence that names the path, if it is missing, a folder, unreadable, or no text.
  static func read(_ path: String) throws -> String {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Refusal("There is no file \(quoted(path)).")
    }
    guard !isFolder.boolValue else { throw Refusal("\(quoted(path)) is a folder; name a file.") }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Refusal("The file \(quoted(path)) cannot be read; check its permissions.")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw Refusal("The file \(quoted(path)) is not text in UTF-8; save it in that encoding.")
    }
    return text
  }
}
