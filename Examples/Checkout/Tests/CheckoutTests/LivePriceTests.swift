import Foundation
import Testing

/// The program while prices change.
@Suite struct LivePriceTests {
  @Test("A new price is shown while a line is being typed, and the typed text is not lost")
  func whileTyping() async throws {
    try await withProgram(prices: "TLS-101,18.00") { program in
      try program.type("add TLS-101 2\n")
      try program.read(until: "Basket: €36.00")
      try program.set(prices: "TLS-101,17.00")
      try program.read(until: "Basket: €34.00")
      try program.read(until: "checkout: ")
      try program.type("check")
      try program.set(prices: "TLS-101,16.00")
      try program.read(until: "Basket: €32.00")
      try program.read(until: "checkout: ")
      try program.type("out\n")
      try program.read(until: "or guest: ")
    }
  }

  @Test("Another currency is shown as soon as its rate is known; a removed file leaves the last prices")
  func currencyAndProblem() async throws {
    try await withProgram(prices: "USD,1.10") { program in
      try program.type("add TLS-101 2\ncurrency usd\n")
      try program.read(until: "Basket: $41.58")
      try program.read(until: "You pay €37.80, at $1.10 for €1.00.")
      try program.set(prices: nil)
      let seen = try program.read(until: "These are the last ones that are known.")
      #expect(seen.contains("Basket: $41.58"))
      #expect(seen.contains("\nThe prices could not be refreshed: There is no file “"))
      try program.set(prices: "USD,1.20")
      try program.read(until: "Basket: $45.36")
    }
  }

  @Test("A price list that is invalid from the beginning ends the program with one sentence")
  func wrongList() async throws {
    let ending = try await Program.withFolder {
      try await Program.run(["--prices", Program.file("TLS-101,cheap", in: $0).path])
    }
    #expect(ending.status == 1)
    #expect(ending.errors.hasSuffix(": line 1 must hold a name and an amount, such as TLS-101,12.50.\n"))
  }

  /// A program that is running, with its keys, its screen and its prices.
  private struct Running {
    let keys = Pipe()
    let screen = Pipe()
    let prices: URL

    func type(_ text: String) throws { try keys.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    /// Changes the file atomically, or removes it.
    func set(prices text: String?) throws {
      if let text {
        try Data(text.utf8).write(to: prices, options: .atomic)
      } else {
        try FileManager.default.removeItem(at: prices)
      }
    }

    @discardableResult
    func read(until text: String) throws -> String { try KeyboardTests.read(screen, until: text) }
  }

  /// Runs it until `body` has seen enough, then abandons.
  private func withProgram(prices: String, _ body: (Running) throws -> Void) async throws {
    try await Program.withFolder { folder in
      let running = Running(prices: folder.appending(path: "prices"))
      try running.set(prices: prices)
      let program = try Program(
        ["--prices", running.prices.path, "--refresh", "0.02"], in: folder, input: running.keys, output: running.screen)
      do { try body(running) } catch {
        program.interrupt()
        throw error
      }
      program.interrupt()
      try running.read(until: "Abandoned: interrupted.")
      #expect(try await program.end().status == 2)
    }
  }
}
