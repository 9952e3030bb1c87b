import Foundation
import Testing

@Suite("The program's commands", .timeLimit(.minutes(15))) struct CommandTests {
  private func submit(_ program: Program, _ more: String...) async throws -> Program.Ending {
    let arguments = [
      "submit", "--by", "ann", "--amount", "129.90", "--purpose", "a train", "--approver", "bob", "--approver", "carol",
    ]
    return try await program.run(arguments + more)
  }

  @Test(
    "an expense passes from person to person over days, each command in a process of its own", arguments: [false, true])
  func story(_ isInDatabase: Bool) async throws {
    try await Program.withFolder(database: isInDatabase) { program in
      #expect(
        try await submit(program, "--boss", "erin").output == [
          "e-1: “a train”, 129.90 €, of ann, waits for bob and carol"
        ])
      #expect(
        try await program.run("inbox", "bob").output == [
          "e-1  “a train”, 129.90 €, of ann, the first decision, until 2026-01-09T12:00:00Z"
        ])
      let delegated = try await program.run("delegate", "e-1", "--by", "bob", "--to", "dave", day: 6)
      #expect(delegated.output == ["e-1: waits for dave and carol"])
      #expect(try await program.run("inbox", "bob", day: 6).output == ["Nothing waits for bob."])
      #expect(
        try await program.run("decide", "e-1", "approve", "--by", "dave", day: 7).output == ["e-1: waits for carol"])
      let late = try await program.run("decide", "e-1", "approve", "--by", "carol", day: 10)
      #expect(late.status == 1)
      #expect(late.errors == "Error: Too late: the time that carol had to decide about e-1 is over.\n")
      #expect(
        try await program.run("decide", "e-1", "reject", "--by", "erin", "--comment", "too dear", day: 11).output == [
          "e-1: rejected: by erin"
        ])
      #expect(
        try await program.run("audit", "e-1", day: 12).output == [
          "2026-01-05T12:00:00Z  ann   submitted it", "2026-01-05T12:00:00Z        bob was asked",
          "2026-01-05T12:00:00Z        carol was asked", "2026-01-06T12:00:00Z  bob   handed on to dave",
          "2026-01-07T12:00:00Z  dave  approved it", "2026-01-10T12:00:00Z        carol did not decide in time",
          "2026-01-10T12:00:00Z        erin was asked", "2026-01-11T12:00:00Z  erin  rejected it: too dear",
          "2026-01-11T12:00:00Z        rejected: by erin",
        ])
      let letters = try program.text("store/outbox.txt").split(separator: "\n").map { $0.split(separator: "\t")[1] }
      #expect(letters.filter { $0 == "ann" }.count == 1)
      #expect(letters.filter { $0 == "erin" }.count == 2)
    }
  }

  @Test("a refused command prints a sentence, and changes nothing")
  func refusals() async throws {
    try await Program.withFolder { program in
      _ = try await submit(program)
      for (arguments, sentence) in [
        (["inbox", "zoe"], "Nobody here is called “zoe”. There are ann, bob, carol, dave, erin, finn, gwen, hugo."),
        (["decide", "e-9", "approve", "--by", "bob"], "There is no expense e-9."),
        (
          ["decide", "e-1", "approve", "--by", "dave"],
          "The expense does not wait for dave; it waits for bob and carol."
        ),
        (["decide", "e-1", "reject", "--by", "bob"], "A rejection needs a reason: add --comment \"…\"."),
        (["audit", "e-2"], "There is no expense e-2."),
        (["inbox", "bob", "--staff", "/nowhere/at/all"], "The file /nowhere/at/all cannot be read."),
      ] {
        let ending = try await program.run(arguments)
        #expect(ending.status == 1)
        #expect(ending.errors == "Error: \(sentence)\n")
      }
      #expect(try await program.run(["audit", "e-1"]).output.count == 4)
      #expect(try await program.run(["decide", "e-1", "maybe", "--by", "bob"]).status == 64)
      #expect(try await program.run(["submit", "--by", "ann"]).status == 64)
    }
  }

  @Test("a repeated decision is refused the second time")
  func twice() async throws {
    try await Program.withFolder { program in
      _ = try await submit(program)
      #expect(try await program.run("decide", "e-1", "approve", "--by", "bob").status == 0)
      let second = try await program.run("decide", "e-1", "approve", "--by", "bob")
      #expect(
        second.errors == "Error: bob has approved it already; the second decision has to come from another person.\n")
    }
  }

  @Test("the first release pays before it books; operators assign a question, and complete a payment by hand")
  func operators() async throws {
    try await Program.withFolder { program in
      _ = try await submit(program, "--release", "1")
      #expect(
        try await program.run(
          "reassign", "e-1", "--from", "bob", "--to", "dave", "--by", "hugo", "--reason", "bob is ill", "--release", "1"
        ).output == ["e-1: waits for dave and carol"])
      let old = try await program.run("decide", "e-1", "approve", "--by", "bob", "--release", "1")
      #expect(old.errors == "Error: The expense does not wait for bob; it waits for dave and carol.\n")
      _ = try await program.run(
        "decide", "e-1", "approve", "--by", "dave", "--comment", "fine", "--release", "1", day: 6)
      #expect(
        try await program.run("decide", "e-1", "approve", "--by", "carol", "--release", "1", "--bank-away", day: 7)
          .output == ["e-1: suspended: the bank is away"])
      let complete = [
        "complete", "e-1", "--by", "hugo", "--reason", "ann needs it", "--reference", "cash 17", "--release", "1",
      ]
      #expect(try await program.run(complete, day: 8).output == ["e-1: waits for group finance"])
      // The second release would pay again after the booking.
      #expect(
        try await program.run("inbox", "finn", day: 9).output == ["e-1  “a train”, 129.90 €, of ann, the booking"])
      #expect(
        try await program.run("book", "e-1", "--by", "finn", "--account", "travel", day: 9).output == [
          "e-1: approved: by dave and carol, paid with cash 17"
        ])
      #expect(
        try await program.run("audit", "e-1", day: 9).output == [
          "2026-01-05T12:00:00Z  ann    submitted it", "2026-01-05T12:00:00Z         bob was asked",
          "2026-01-05T12:00:00Z         carol was asked",
          "2026-01-05T12:00:00Z  hugo   assigned it from bob to dave: bob is ill",
          "2026-01-06T12:00:00Z  dave   approved it: fine", "2026-01-07T12:00:00Z  carol  approved it",
          "2026-01-07T12:00:00Z         it is suspended: the bank is away",
          "2026-01-08T12:00:00Z  hugo   paid it by hand: ann needs it", "2026-01-08T12:00:00Z         it was paid",
          "2026-01-08T12:00:00Z         group finance was asked to book it",
          "2026-01-09T12:00:00Z  finn   booked it: travel",
          "2026-01-09T12:00:00Z         approved: by dave and carol, paid with cash 17",
        ])
    }
  }

  @Test("an expense moves to the second release before it is paid, and is paid once although the bank was away")
  func releases() async throws {
    try await Program.withFolder { program in
      _ = try await submit(program, "--release", "1")
      _ = try await program.run("decide", "e-1", "approve", "--by", "bob")
      #expect(
        try await program.run("decide", "e-1", "approve", "--by", "carol").output == ["e-1: waits for group finance"])
      let first = try await program.run("inbox", "finn", "--release", "1")
      #expect(first.output == ["e-1  “a train”, 129.90 €, of ann, the booking"])
      let refused = try await program.run("book", "e-1", "--by", "finn", "--account", "travel", "--release", "1")
      #expect(refused.status == 1)
      #expect(refused.errors.contains("version 2 of \"expense\" is not registered"))
      #expect(
        try await program.run("book", "e-1", "--by", "finn", "--account", "travel", "--bank-away").output == [
          "e-1: suspended: the bank is away"
        ])
      let retry = try await program.run("retry", "e-1", "--by", "hugo", "--reason", "the bank is back")
      #expect(retry.output == ["e-1: approved: by bob and carol, paid with transfer 1"])
      #expect(try await program.run("retry", "e-1", "--by", "hugo", "--reason", "again").status == 1)
      #expect(try program.text("store/bank.txt").split(separator: "\n").count == 1)
    }
  }

  @Test("the words of people are gone from the page and from the store of an expense that was redacted")
  func redacted() async throws {
    try await Program.withFolder { program in
      // With some more expenses the store does not rewrite its files by itself, which would remove the words as well.
      for _ in 1...8 { _ = try await submit(program) }
      _ = try await program.run("decide", "e-1", "reject", "--by", "bob", "--comment", "far too dear")
      #expect(try program.flows(hold: "far too dear"))
      let redact = ["redact", "e-1", "--by", "hugo", "--reason", "ann has left"]
      #expect(try await program.run(redact, day: 6).output == ["e-1: redacted"])
      #expect(try !program.flows(hold: "far too dear"))
      #expect(
        try await program.run("audit", "e-1", day: 7).output == [
          "2026-01-05T12:00:00Z  somebody  submitted it", "2026-01-05T12:00:00Z            somebody was asked",
          "2026-01-05T12:00:00Z  bob       rejected it", "2026-01-06T12:00:00Z  hugo      redacted it: ann has left",
        ])
    }
  }
}
