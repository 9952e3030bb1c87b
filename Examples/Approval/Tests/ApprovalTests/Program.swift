import Foundation
import Testing

/// The built program, run as a child process on a directory of its own.
struct Program {
  let folder: URL
  /// The argument of `--store`, if it is not a directory of its own.
  var store: String?

  /// Gives `body` a directory and removes it afterwards.
  ///
  /// - Parameter database: Whether the program is run on a SQLite database.
  static func withFolder(database: Bool = false, _ body: (Program) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "approval-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var program = Program(folder: folder)
    if database { program.store = "sqlite:\(folder.appending(path: "store/expenses").path)" }
    try await body(program)
  }

  /// The result of a run.
  struct Ending {
    var status: Int32
    var output: [String]
    var errors: String
  }

  /// Runs a command, on a day of January 2026, at noon.
  func run(_ arguments: String..., day: Int = 5) async throws -> Ending {
    try await run(arguments, day: day)
  }

  /// Runs a command, on a day of January 2026, at noon.
  func run(_ arguments: [String], day: Int = 5) async throws -> Ending {
    let process = Process()
    process.executableURL = try Self.executable
    let time = "2026-01-\(day < 10 ? "0" : "")\(day)T12:00:00Z"
    process.arguments = arguments + ["--store", store ?? folder.appending(path: "store").path, "--at", time]
    process.standardInput = FileHandle.nullDevice
    // Files, because a pipe could fill up.
    process.standardOutput = try handle("output")
    process.standardError = try handle("errors")
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in end.finish() }
    try process.run()
    for await _ in ended {}
    return Ending(
      status: process.terminationStatus,
      output: try text("output").split(separator: "\n").map(String.init), errors: try text("errors"))
  }

  func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  /// Whether a file of the flows' store holds these words.
  func flows(hold words: String) throws -> Bool {
    let flows = folder.appending(path: "store/flows")
    for name in try FileManager.default.subpathsOfDirectory(atPath: flows.path) {
      guard let data = FileManager.default.contents(atPath: flows.appending(path: name).path) else { continue }
      if data.firstRange(of: Data(words.utf8)) != nil { return true }
    }
    return false
  }

  private func handle(_ name: String) throws -> FileHandle {
    let url = folder.appending(path: name)
    try Data().write(to: url)
    return try FileHandle(forWritingTo: url)
  }

  /// The directory of the built program: beside the tests.
  private static var executable: URL {
    get throws {
      let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent()
      let candidates = [tests, Bundle.main.bundleURL].compactMap(\.self).map { $0.appending(path: "approval") }
      return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) })
    }
  }
}
