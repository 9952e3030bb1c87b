import Foundation
import Testing

/// Branches and joins, as shown in a terminal.
@Suite struct CompositionTests {
  private static let member = ["add TLS-101 2", "checkout", "grace@example.org", "1", "no"]
  private static let declined = "4000 0000 0000 0002 12/99 987"

  @Test("A member's address is on file, and an accepted offer stands on the receipt")
  func member() async throws {
    var answers = Self.member + [AnswersTests.card]
    answers[4] = "yes"
    let ending = try await Program.run(answers: answers)
    #expect(ending.status == 0)
    let receipt = ending.lines.drop { $0 != "RECEIPT" }
    #expect(receipt.contains("  gift wrapping  €3.50"))
    #expect(receipt.contains("  member's discount  -€3.78"))
    #expect(receipt.contains("  to Grace Hopper, Harbour Lane 9, 20457 Hamburg, Germany"))
  }

  @Test("A refused fraud check fails the order in a sentence and releases the stock")
  func fraud() async throws {
    var answers = AnswersTests.order
    answers[4] = "eve@fraud.example"
    let ending = try await Program.run(answers: answers)
    #expect(ending.status == 1)
    let sentence = "the fraud check refused the order: the address “eve@fraud.example” is on its list"
    #expect(ending.lines.contains("The checkout failed: \(sentence)."))
    #expect(ending.lines.contains("Undone: released 2 × Claw hammer, 16 oz (TLS-101), back on the shelf."))
  }

  @Test("Questions that are open at once have numbers, and the others stay open")
  func questionsAtOnce() async throws {
    var answers = AnswersTests.order
    answers[0] = "add TLS-101 24"
    let ending = try await Program.run(
      answers: answers + ["no", "split", "back 3", "2 17", "2 1990", "split", AnswersTests.card])
    #expect(ending.status == 0)
    #expect(ending.lines.contains("2 questions are open; write the number before the answer."))
    #expect(ending.lines.contains("  2  Your year of birth  (checkout/checks/fraud)"))
    #expect(ending.lines.contains("Write 1 to 2, a blank, and the answer."))
    #expect(ending.lines.contains("Sorry, no question has the number 3."))
    #expect(ending.lines.contains { $0.hasPrefix("Sorry, the year of birth must be from ") })
    #expect(ending.lines.contains("24 pieces are more than one parcel: together, or split: split"))
    #expect(ending.output.contains("\n  delivery, standard, in several parcels  €0.00\n  total"))
  }

  @Test("A back from one of several questions leaves them all")
  func backFromOne() async throws {
    var answers = AnswersTests.order
    answers[0] = "add TLS-101 24"
    for back in ["back", "back 2"] {
      let ending = try await Program.run(answers: answers + ["no", back, "abandon"])
      #expect(ending.output.contains("yes or no [no]: abandon\n"))
    }
  }

  @Test("After three declined cards another payment method is asked for")
  func threeTries() async throws {
    let cards = [String](repeating: Self.declined, count: 3)
    let ending = try await Program.run(answers: AnswersTests.order + cards + ["card", "invoice"])
    #expect(ending.status == 0)
    #expect(ending.output.contains("Try another card (3 of 3), or go back."))
    #expect(ending.lines.contains("Sorry, write invoice or cash, or abandon."))
    #expect(ending.lines.contains("  to be paid: invoice, within 14 days"))
  }

  @Test("With --confirm-by-hand the order waits for confirm; a key counts once")
  func confirmByHand() async throws {
    let order = Self.member + [AnswersTests.card]
    let ending = try await Program.run(answers: order + ["hello", "confirm evt-1"], ["--confirm-by-hand"])
    #expect(ending.status == 0)
    #expect(ending.lines.contains("Waiting for the payment provider to confirm…"))
    #expect(ending.lines.contains("Nothing is asked now."))
    #expect(ending.lines.contains("Confirmed, as evt-1."))

    let early = try await Program.run(
      answers: Self.member + ["confirm evt-1", "confirm evt-1", AnswersTests.card], ["--confirm-by-hand"])
    #expect(early.status == 0)
    #expect(early.lines.contains("A confirmation evt-1 came before; this one changes nothing."))

    let left = try await Program.run(answers: order + ["back", "abandon"], ["--confirm-by-hand"])
    #expect(left.status == 2)
    #expect(left.lines.contains("Undone: refunded €38.92 to the card ending in 4242."))
  }

  @Test("where marks the place in the flow's diagram; the question stays")
  func position() async throws {
    let ending = try await Program.run(answers: ["add TLS-101 1", "where", "checkout"])
    #expect(ending.lines.contains("flowchart TD"))
    #expect(ending.output.contains("(\"fill<br/>waiting for an answer\")"))
    #expect(ending.lines.contains("The e-mail of your account, or guest: "))
  }
}
