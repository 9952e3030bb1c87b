import Foundation
import Testing

/// A conversation with the program: sends answers, and reads the output.
struct Talk {
  let program: Program
  private let keys = Pipe()
  private let screen = Pipe()

  /// Starts the program with a store in this folder.
  init(_ arguments: [String] = [], in folder: URL) throws {
    program = try Program(
      ["--store", folder.appending(path: "store").path] + arguments, in: folder, input: keys, output: screen)
  }

  /// A customer's answers, by the beginning of the question.
  static let answers = [
    "What would you like?": "add TLS-101 2", "add, remove, quantity": "checkout", "The e-mail of your account": "guest",
    "Your name": "Ada Lovelace", "E-mail": "ada@example.org", "Street and number": "Main St 1", "Postcode": "10115",
    "Town": "Berlin", "Country": "DE", "Delivery, 1 to": "standard", "Card number": AnswersTests.card,
  ]

  /// Reads up to the next question, and returns the key of its answer; nil if the receipt came instead.
  ///
  /// - Parameter text: Another beginning of a line, returned as it is.
  func question(orReading text: String? = nil) throws -> String? {
    let known = Array(Self.answers.keys) + [text].compactMap(\.self)
    var line = ""
    while true {
      do { line += try KeyboardTests.read(screen, untilAny: ["\n", ": "]) } catch {
        throw Silence(after: line, errors: program.errors, cause: error)
      }
      if line == "RECEIPT\n" { return nil }
      if let found = known.first(where: { line.hasPrefix($0) }) { return found }
      if line.hasSuffix("\n") { line = "" }
    }
  }

  private struct Silence: Error {
    var after: String
    var errors: String
    var cause: any Error
  }

  /// Answers a question, and reads up to the end of the answer, which the program repeats.
  func answer(_ question: String) throws {
    try type(try #require(Self.answers[question]))
    try read(until: "\n")
  }

  /// Types a line.
  func type(_ line: String) throws {
    try keys.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Ends the program at once, as `kill -9` does.
  func kill() async {
    await program.kill()
    withExtendedLifetime(self) {}
  }

  /// Waits for its end, and reads its output meanwhile: with a closed output it would end too early.
  func end() async throws -> Program.Ending {
    defer { withExtendedLifetime(self) {} }
    return try await program.end()
  }

  /// Reads up to this text.
  @discardableResult
  func read(until text: String) throws -> String { try KeyboardTests.read(screen, until: text) }
}
