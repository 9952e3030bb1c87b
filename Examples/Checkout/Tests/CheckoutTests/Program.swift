import Foundation
import Testing

/// The built program, run as a child process.
struct Program {
  /// The result of a run.
  struct Ending {
    var status: Int32
    var output: String
    var errors: String

    /// The lines of the output.
    var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
  }

  /// Runs it to its end with this standard input.
  static func run(_ arguments: [String], input: String = "") async throws -> Ending {
    try await withFolder { folder in
      let program = try Program(arguments, in: folder, input: FileHandle(forReadingFrom: file(input, in: folder)))
      return try await program.end()
    }
  }

  /// Runs it with a file of answers, one a line.
  static func run(answers: [String], _ arguments: [String] = []) async throws -> Ending {
    try await withFolder { folder in
      let answers = try file(answers.joined(separator: "\n"), in: folder)
      let program = try Program(
        ["--answers", answers.path] + arguments, in: folder, input: FileHandle.nullDevice)
      return try await program.end()
    }
  }

  private let process = Process()
  private let folder: URL
  private let ended: AsyncStream<Void>

  /// Starts it. Both outputs go to files: no pipe can fill up.
  init(_ arguments: [String], in folder: URL, input: Any, output: Any? = nil) throws {
    self.folder = folder
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    self.ended = ended
    process.executableURL = try Self.executable
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = try output ?? Self.handle("output", in: folder)
    process.standardError = try Self.handle("errors", in: folder)
    process.terminationHandler = { _ in continuation.finish() }
    try process.run()
  }

  /// Sends what Ctrl-C sends.
  func interrupt() {
    process.interrupt()
  }

  /// Its process number.
  var id: Int32 { process.processIdentifier }

  /// The text that it has written to standard error so far.
  var errors: String { (try? String(contentsOf: folder.appending(path: "errors"), encoding: .utf8)) ?? "" }

  /// The text that it has written to standard output so far.
  private var output: String { (try? String(contentsOf: folder.appending(path: "output"), encoding: .utf8)) ?? "" }

  /// Ends it at once, as `kill -9` does, and waits for its end, also in a task that was cancelled.
  func kill() async {
    _ = Foundation.kill(id, SIGKILL)
    await Task { for await _ in ended {} }.value
  }

  /// Waits for its end. If the test is cancelled, by its time limit for example, the program is killed.
  ///
  /// - Throws: ``Unended`` with the output so far, if it was killed.
  func end() async throws -> Ending {
    for await _ in ended {}
    guard !Task.isCancelled else {
      await kill()
      throw Unended(output: output, errors: errors)
    }
    #expect(process.terminationReason == .exit)
    return Ending(
      status: process.terminationStatus, output: output,
      errors: try String(contentsOf: folder.appending(path: "errors"), encoding: .utf8))
  }

  /// A program that had to be killed, because its test was cancelled.
  struct Unended: Error {
    var output: String
    var errors: String
  }

  /// The directory of the built program: beside the tests.
  private static var executable: URL {
    get throws {
      let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent()
      let folders = [tests, Bundle.main.bundleURL].compactMap(\.self)
      let candidates = folders.map { $0.appending(path: "checkout") }
      return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) })
    }
  }

  /// Gives `body` a folder of its own and removes it afterwards.
  static func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "checkout-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }

  /// A file with this text.
  static func file(_ text: String, in folder: URL) throws -> URL {
    let url = folder.appending(path: "input-\(UUID().uuidString)")
    try Data(text.utf8).write(to: url)
    return url
  }

  private static func handle(_ name: String, in folder: URL) throws -> FileHandle {
    let url = folder.appending(path: name)
    try Data().write(to: url)
    return try FileHandle(forWritingTo: url)
  }
}
