import Foundation
import Testing

/// The program as a script uses it.
@Suite struct AnswersTests {
  static let contact = ["Ada Lovelace", "ada@example.org"]
  static let address = ["Main St 1", "10115", "Berlin", "DE"]
  static let order = ["add TLS-101 2", "checkout", "guest"] + contact + address + ["standard"]
  static let card = "4242 4242 4242 4242 12/99 987"

  @Test("A whole order ends with a receipt and status 0")
  func finishes() async throws {
    let ending = try await Program.run(answers: Self.order + [Self.card])
    #expect(ending.status == 0)
    #expect(ending.errors.isEmpty)
    let receipt = ending.lines.drop { $0 != "RECEIPT" }
    #expect(receipt.contains("  2 × Claw hammer, 16 oz (TLS-101)  €37.80"))
    #expect(receipt.contains("  total  €42.70"))
    #expect(receipt.contains("  paid with the card ending in 4242"))
    #expect(receipt.contains { $0.hasPrefix("  parcel PKT-") })
  }

  @Test("The order that comes with the example succeeds")
  func shippedAnswers() async throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    let ending = try await Program.run(["--answers", package.appending(path: "Answers/order.txt").path])
    #expect(ending.status == 0)
    #expect(ending.output.contains("RECEIPT"))
  }

  @Test("The transcript shows the answers, but no card number")
  func transcript() async throws {
    let ending = try await Program.run(answers: Self.order + [Self.card])
    #expect(ending.lines.contains("Your name: Ada Lovelace"))
    #expect(ending.output.contains("to pay €42.70: •••• 4242 12/99 •••"))
    #expect(!ending.output.contains("4242 4242 4242 4242 12/99"))
  }

  @Test("back offers the typed text again, Enter accepts it; at the basket it releases the reserved goods")
  func back() async throws {
    let ending = try await Program.run(
      answers: [
        "add TLS-101 2", "add TLS-117 1", "checkout", "guest", "Ada", "BACK", "back", "back", "", "", "",
        "back", "back", "back", "undo", "checkout", "abandon",
      ])
    let both = [
      "Undone: released 1 × Bench vice 100 mm (TLS-117), back on the shelf.",
      "Undone: released 2 × Claw hammer, 16 oz (TLS-101), back on the shelf.",
    ]
    #expect(ending.lines.filter { $0.hasPrefix("Undone") } == both + both + both.suffix(1))
    #expect(ending.lines.filter { $0 == "\(WrongInputTests.label) [checkout]: " }.count == 1)
    #expect(ending.lines.contains("\(WrongInputTests.label) [checkout]: undo"), "the basket is as it was left")
    #expect(ending.lines.contains("The e-mail of your account, or guest [guest]: "))
    #expect(ending.lines.contains("Your name [Ada]: "))
    #expect(ending.status == 2)
  }

  @Test("An undo that leaves nothing shows an empty basket", arguments: ["undo", "remove TLS-101"])
  func emptied(change: String) async throws {
    let ending = try await Program.run(answers: ["add TLS-101 1", change, "abandon"])
    let changed = try #require(ending.lines.firstIndex { $0.hasSuffix(": \(change)") })
    #expect(ending.lines[changed...].dropFirst().prefix(2) == ["", "The basket is empty."])
    #expect(ending.lines[changed + 3] == "\(WrongInputTests.emptyLabel): abandon")
  }

  @Test("abandon rolls back, prints the compensated effects, and ends with status 2")
  func abandon() async throws {
    let ending = try await Program.run(answers: Self.order + ["abandon"])
    #expect(ending.status == 2)
    #expect(
      ending.lines.suffix(4) == [
        "Abandoned: the customer abandoned it.", "Undone: cancelled the stock reservation of 1 line.",
        "Undone: released 2 × Claw hammer, 16 oz (TLS-101), back on the shelf.", "",
      ])
  }

  @Test("The end of the answers abandons")
  func endOfFile() async throws {
    for answers in [[], ["add TLS-101 1"], Self.order] {
      let ending = try await Program.run(answers: answers)
      #expect(ending.status == 2)
      #expect(ending.output.contains("\nAbandoned: the input ended.\n"))
    }
  }

  @Test("A declined card is asked for again and the order stays")
  func declined() async throws {
    let ending = try await Program.run(answers: Self.order + ["4000 0000 0000 0002 12/99 987", "", Self.card])
    #expect(ending.status == 0)
    #expect(ending.output.contains("The card ending in 0002 was declined: the bank refuses this card."))
    #expect(ending.output.contains("\nType an answer, or help.\n"), "a declined card is not offered again")
  }

  @Test("An order that fails after payment is refunded and ends with status 1")
  func fails() async throws {
    var answers = Self.order + [Self.card]
    answers[6] = "99912"
    let ending = try await Program.run(answers: answers)
    #expect(ending.status == 1)
    #expect(ending.lines.contains("The checkout failed: no courier takes parcels to 99912 Berlin."))
    #expect(ending.lines.contains("Undone: refunded €42.70 to the card ending in 4242."))
  }
}
