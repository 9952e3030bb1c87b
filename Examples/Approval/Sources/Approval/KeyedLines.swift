import Foundation

/// A file of lines, each with a key at its end. A line whose key is known is not written again.
struct KeyedLines {
  let path: String

  /// Returns the number of the line with this key, from 1.
  func number(of key: String) -> Int? {
    text.split(separator: "\n").firstIndex { $0.hasSuffix("\t\(key)") }.map { $0 + 1 }
  }

  /// Appends a line, unless its key is known.
  ///
  /// - Returns: The number of the line with this key.
  @discardableResult
  func append(_ fields: String..., key: String) throws -> Int {
    if let number = number(of: key) { return number }
    let old = text
    // A line that a crash has cut off ends here, so that the next one is whole.
    let start = old.isEmpty || old.hasSuffix("\n") ? "" : "\n"
    if !FileManager.default.fileExists(atPath: path) {
      try Data().write(to: URL(filePath: path), options: .withoutOverwriting)
    }
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: Data((start + (fields + [key]).joined(separator: "\t") + "\n").utf8))
    try file.synchronize()
    return old.split(separator: "\n").count + 1
  }

  private var text: String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
  }
}
