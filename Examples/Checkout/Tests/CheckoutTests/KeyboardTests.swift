import Foundation
import Testing

/// The program as a person uses it, through standard input.
@Suite struct KeyboardTests {
  @Test("A new user sees at once which commands there are")
  func help() async throws {
    let ending = try await Program.run([], input: "help\n")
    let opening = ending.output.prefix { $0 != "[" }
    for word in ["add SKU", "undo", "list", "search WORD", "checkout", "back", "abandon", "help"] {
      #expect(opening.contains("\n  \(word) "), "\(word)")
    }
    #expect(ending.lines.filter { $0.hasPrefix("  search WORD") }.count == 2)
  }

  @Test("list and search show products and leave the question open")
  func lookUp() async throws {
    let ending = try await Program.run([], input: "list\nlist 12\nlist 13\nsearch TEAPOT\nsearch zzz\nadd TLS-101 1\n")
    #expect(ending.lines.contains("  TLS-101  Claw hammer, 16 oz, €18.90, 24 left"))
    #expect(ending.output.contains("Page 1 of 12; list 2 shows the next."))
    #expect(ending.output.contains("Page 12 of 12."))
    #expect(ending.output.contains("There are pages 1 to 12: write list 1."))
    #expect(ending.lines.filter { $0.contains("Teapot") }.count == 3)
    #expect(ending.output.contains("No product has “zzz” in its name."))
    #expect(ending.lines.contains("Basket: €18.90"))
  }

  @Test("Piped answers finish an order, also without a line end after the last, and with CRLF")
  func piped() async throws {
    let answers = AnswersTests.order + [AnswersTests.card]
    for separator in ["\n", "\r\n"] {
      let ending = try await Program.run([], input: answers.joined(separator: separator))
      #expect(ending.status == 0)
      #expect(ending.output.contains("RECEIPT"))
    }
  }

  @Test("Bytes that are not text, and a line without end, are refused like any other answer")
  func garbage() async throws {
    let ending = try await Program.run(
      [], input: "add \u{0}\u{1B}[31m\u{FFFD} 1\nadd \(String(repeating: "x", count: 100_000)) 1\n")
    #expect(ending.status == 2)
    #expect(ending.lines.filter { $0.hasPrefix("Sorry, ") }.count == 2)
  }

  @Test("Ctrl-C abandons and rolls back")
  func interrupt() async throws {
    try await Program.withFolder { folder in
      let keys = Pipe()
      let screen = Pipe()
      let program = try Program([], in: folder, input: keys, output: screen)
      try keys.fileHandleForWriting.write(contentsOf: Data("add TLS-101 2\ncheckout\n".utf8))
      try Self.read(screen, until: "or guest: ")
      program.interrupt()
      let rest = try Self.read(screen, until: "back on the shelf.")
      #expect(rest.contains("Abandoned: interrupted."))
      #expect(try await program.end().status == 2)
    }
  }

  /// Reads what the program writes until this text is there, or it has ended, or has written nothing for half a minute.
  @discardableResult
  static func read(_ pipe: Pipe, until text: String) throws -> String { try read(pipe, untilAny: [text]) }

  /// Reads until one of these texts is there.
  static func read(_ pipe: Pipe, untilAny texts: [String]) throws -> String {
    var seen = Data()
    let screen = pipe.fileHandleForReading
    while isReadable(screen), let more = try screen.read(upToCount: 1), !more.isEmpty {
      seen.append(more)
      if texts.contains(where: { seen.suffix($0.utf8.count).elementsEqual($0.utf8) }) {
        return String(decoding: seen, as: UTF8.self)
      }
    }
    throw Missing(texts: texts, seen: String(decoding: seen, as: UTF8.self))
  }

  /// Waits until there is output to read. A program that hangs must fail the test, and not hang it as well.
  private static func isReadable(_ handle: FileHandle) -> Bool {
    var wanted = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wanted, 1, 30_000) > 0
  }

  private struct Missing: Error {
    var texts: [String]
    var seen: String
  }
}
