import Foundation
import Testing

/// The effects of the options.
@Suite struct OptionTests {
  @Test("--diagram draws the flow and ends", arguments: [([], "flowchart TD"), (["dot"], "digraph flow {")])
  func diagram(language: [String], opening: String) async throws {
    let ending = try await Program.run(["--diagram"] + language)
    #expect(ending.status == 0)
    #expect(ending.lines.first == opening)
    for name in ["basket", "account", "insurance", "checks (parallel)", "confirmation"] {
      #expect(ending.output.contains(name), "\(name)")
    }
  }

  @Test("--expires abandons while a line is awaited, and releases the reserved goods")
  func expires() async throws {
    try await Program.withFolder { folder in
      let keys = Pipe()
      let program = try Program(["--expires", "0.3"], in: folder, input: keys)
      try keys.fileHandleForWriting.write(contentsOf: Data("add TLS-101 2\ncheckout\n".utf8))
      let ending = try await program.end()
      #expect(ending.status == 2)
      #expect(ending.lines.contains("Abandoned: nobody has answered for 0.3 seconds."))
      #expect(ending.lines.contains("Undone: released 2 × Claw hammer, 16 oz (TLS-101), back on the shelf."))
    }
  }

  @Test(
    "Invalid options end the program with 64",
    arguments: ["--expires=0", "--expires=-1", "--expires=x", "--refresh=0", "--refresh=x"])
  func nonsense(option: String) async throws {
    #expect(try await Program.run([option]).status == 64)
  }

  @Test("--upsell offers the document's extras")
  func upsell() async throws {
    let document = #"{"version":1,"flow":[{"step":"offer","options":{"title":"a pencil","price":"0.50"}}]}"#
    let ending = try await run(document, AnswersTests.order + ["maybe", "yes", AnswersTests.card])
    #expect(ending.status == 0)
    #expect(ending.lines.contains("Sorry, write yes or no."))
    #expect(ending.lines.contains("  a pencil  €0.50"))
  }

  @Test("An invalid document is reported with the positions of all its mistakes, and nothing is asked")
  func wrongUpsell() async throws {
    let document = #"{"version":1,"flow":[{"step":"ofer"},{"step":"offer","options":{"title":"a pencil"}}]}"#
    let ending = try await run(document, [])
    #expect(ending.status == 1)
    #expect(ending.output.isEmpty)
    #expect(ending.errors.contains("the document has 2 mistakes:"))
    #expect(ending.errors.contains("line 1, column 23, $.flow[0].step: "))
    #expect(ending.errors.contains("did you mean 'offer'?"))
    #expect(ending.errors.contains("$.flow[1].options"))
  }

  private func run(_ document: String, _ answers: [String]) async throws -> Program.Ending {
    try await Program.withFolder {
      try await Program.run(answers: answers, ["--upsell", Program.file(document, in: $0).path])
    }
  }
}
