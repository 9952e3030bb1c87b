import Foundation
import Testing

/// Checkouts that outlive the program.
@Suite(.timeLimit(.minutes(15))) struct StoreTests {
  private static func book(_ name: String, in folder: URL) throws -> [String: Any] {
    let data = try Data(contentsOf: folder.appending(path: "store/\(name).json"))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// The number of entries on a page of a book.
  private static func count(_ page: String, of name: String, in folder: URL) throws -> Int? {
    (try book(name, in: folder)[page] as? [String: Any])?.count
  }

  private func run(_ arguments: [String], answers: [String] = [], in folder: URL) async throws -> Program.Ending {
    let file = try Program.file(answers.joined(separator: "\n"), in: folder)
    let program = try Program(
      ["--store", folder.appending(path: "store").path, "--answers", file.path] + arguments, in: folder,
      input: FileHandle.nullDevice)
    return try await program.end()
  }

  @Test("Killed at every question, and while each answer is taken, it continues at the question that was seen last")
  func killed() async throws {
    try await Program.withFolder { folder in
      var seen: [String] = []
      while true {
        // Killed as soon as it has asked.
        let first = try Talk(["--flow", "ada"], in: folder)
        guard let question = try first.question() else {
          #expect(try await first.end().status == 0)
          break
        }
        #expect(seen.last == nil || seen.last == question)
        await first.kill()
        // Killed as soon as it has read the answer, which was not acknowledged.
        let second = try Talk(["--flow", "ada"], in: folder)
        #expect(try second.question() == question)
        try second.answer(question)
        await second.kill()
        // Killed when it has asked the next question: the answer counts, wherever the one before has led.
        let third = try Talk(["--flow", "ada"], in: folder)
        guard let again = try third.question() else {
          #expect(try await third.end().status == 0)
          break
        }
        try third.answer(again)
        try seen.append(#require(try third.question(orReading: "Waiting for")))
        await third.kill()
        try #require(seen.count < 2 * Talk.answers.count, "\(seen)")
      }
      #expect(seen.count >= Talk.answers.count / 2, "no start answers more than twice: \(seen)")
      for (book, page, count) in [
        ("gateway", "taken", 1), ("gateway", "outcomes", 1), ("warehouse", "shipped", 1), ("warehouse", "reserved", 0),
        ("courier", "booked", 1),
      ] { #expect(try Self.count(page, of: book, in: folder) == count, "\(book), \(page)") }
    }
  }

  @Test("The end of the input and Ctrl-C leave a stored checkout; the next start continues at the same question")
  func left() async throws {
    try await Program.withFolder { folder in
      let first = try await run([], answers: ["add TLS-101 2", "checkout", "guest"], in: folder)
      #expect(first.status == 3)
      #expect(first.lines.first?.hasPrefix("This is order-1. It is kept in ") == true)
      #expect(first.lines.dropLast().last?.hasPrefix("order-1 waits in ") == true)
      let talk = try Talk(in: folder)
      #expect(try talk.question() == "Your name")
      try talk.type("Ada Lovelace")
      #expect(try talk.question() == "E-mail")
      talk.program.interrupt()
      try talk.read(until: "order-1 waits in ")
      #expect(try await talk.end().status == 3)
      let last = try await run([], answers: Array(AnswersTests.order.dropFirst(4)) + [AnswersTests.card], in: folder)
      #expect(last.lines.first?.hasPrefix("Going on with order-1, begun ") == true)
      #expect(last.lines.contains("  total  €42.70") && last.status == 0)
      #expect(try await run([], in: folder).lines.first?.hasPrefix("This is order-2. ") == true)
    }
  }

  @Test("--list shows the waiting checkouts: checkout, step, question, and age")
  func list() async throws {
    try await Program.withFolder { folder in
      #expect(try await run(["--list"], in: folder).output.hasPrefix("No checkout waits in "))
      _ = try await run([], answers: ["add TLS-101 2", "checkout", "guest"], in: folder)
      _ = try await run(["--flow", "mine"], answers: [], in: folder)
      let ending = try await run(["--list"], in: folder)
      #expect(ending.status == 0)
      let lines = ending.lines.map { $0.split(separator: "  ").map(String.init) }.filter { !$0.isEmpty }
      #expect(
        lines.map { $0.dropLast() } == [
          ["order-1", "checkout/guest/contact/name", "Your name"],
          ["mine", "checkout/basket/fill", WrongInputTests.emptyLabel],
        ])
      #expect(
        lines.allSatisfy { (try? Date(String(($0.last ?? "").dropFirst("since ".count)), strategy: .iso8601)) != nil })
      let next = try await run([], in: folder)
      #expect(next.lines.first?.hasPrefix("Going on with mine, begun ") == true, "the newest")
      #expect(next.lines.first?.hasSuffix(" There wait also: order-1; --flow NAME chooses.") == true)
      let chosen = try await run(["--flow", "order-1"], answers: ["abandon"], in: folder)
      #expect(chosen.status == 2)
      #expect(chosen.lines.contains("Undone: released 2 × Claw hammer, 16 oz (TLS-101), back on the shelf."))
      let over = try await run(["--flow", "order-1"], in: folder)
      #expect(over.lines.prefix(2) == ["order-1 is over.", "Abandoned: the customer abandoned it."])
    }
  }

  @Test("A second program in one directory is refused with the first one's number")
  func locked() async throws {
    try await Program.withFolder { folder in
      let talk = try Talk(in: folder)
      #expect(try talk.question() == "What would you like?")
      let second = try await Program.withFolder { other in
        try await Program(
          ["--store", folder.appending(path: "store").path], in: other, input: FileHandle.nullDevice
        ).end()
      }
      #expect(second.status == 1 && second.output.isEmpty)
      #expect(second.errors.hasPrefix("Error: process \(talk.program.id) on "))
      #expect(second.errors.contains("has the store open"))
      await talk.kill()
      #expect(try await run(["--list"], in: folder).status == 0)
    }
  }

  @Test(
    "Several questions, offers and other payment methods continue as well; the payment is confirmed if it was not yet")
  func everyQuestion() async throws {
    try await Program.withFolder { folder in
      let answers = [
        ["add TLS-101 22"], ["add TLS-117 1", "checkout", "grace@example.org"], ["standard"], ["yes"], ["no"],
        ["together"], ["1990"], ["4000 0000 0000 0002 12/99 987"], ["4000 0000 0000 9995 12/99 987"],
        ["4000 0000 0000 0002 12/99 987"],
      ]
      for var some in answers {
        if some == ["together"] {
          // Branches ask in any order, which then stays.
          let shown = try await run(["--confirm-by-hand"], in: folder).lines
          let number = shown.first { $0.contains("together, or split") }?.split(separator: " ").first
          some = ["\(try #require(number)) together"]
        }
        let ending = try await run(["--confirm-by-hand"], answers: some, in: folder)
        #expect(ending.status == 3 && ending.errors.isEmpty && !ending.output.contains("Sorry"), "\(ending)")
      }
      let ending = try await run([], answers: ["invoice"], in: folder)
      #expect(ending.status == 0)
      #expect(ending.lines.contains("The card ending in 0002 was declined: the bank refuses this card."))
      #expect(ending.lines.contains("  to be paid: invoice, within 14 days"))

      let paid = try await run(["--confirm-by-hand"], answers: AnswersTests.order + [AnswersTests.card], in: folder)
      #expect(paid.status == 3)
      #expect(try await run(["--list"], in: folder).output.contains("  waits for payment.confirmed  since "))
      let confirmed = try await run([], in: folder)
      #expect(confirmed.status == 0)
      #expect(confirmed.lines.contains("  paid with the card ending in 4242"))
    }
  }

  @Test("Options that fit no store, or not the checkouts in it, are refused")
  func refusals() async throws {
    #expect(try await Program.run(["--list"]).status == 64)
    #expect(try await Program.run(["--flow", "x"]).status == 64)
    try await Program.withFolder { folder in
      _ = try await run([], in: folder)
      let other = try await run(["--expires", "60"], in: folder)
      #expect(other.status == 1)
      #expect(other.errors.contains("go on with the --upsell and --expires that they began with"))
      #expect(try await run(["--flow", "no name"], in: folder).errors.hasPrefix("Error: “no name” is no name"))
    }
  }
}
