import Foundation

/// A value that is read from a file once, and written to it by each change, before the change counts.
struct PersistedValue<Value: Codable & Sendable>: Sendable {
  private(set) var value: Value
  private let file: URL?

  /// Reads the value, or begins with the initial one if there is no file yet.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - directory: The directory of the file; `nil` to have the value in memory only.
  init(_ name: String, in directory: URL?, initial: Value) throws {
    file = directory?.appendingPathComponent(name)
    value = initial
    guard let directory, let file else { return }
    try PrivateFile.makeDirectory(directory)
    if FileManager.default.fileExists(atPath: file.path) {
      value = try JSONDecoder().decode(Value.self, from: Data(contentsOf: file))
    }
  }

  /// Changes the value. If `body` throws, or the file cannot be written, nothing has changed.
  mutating func change<Result>(_ body: (inout Value) throws -> Result) throws -> Result {
    var next = value
    let result = try body(&next)
    if let file { try PrivateFile.write(JSONEncoder().encode(next), to: file) }
    value = next
    return result
  }
}
