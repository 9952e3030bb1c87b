import Foundation
import Testing

@Suite struct WrongInputTests {
  @Test(
    "Invalid input at the basket gets one sentence, and the question stays",
    arguments: [
      ("add nope 1", "Sorry, there is no product “NOPE”; list and search show what there is."),
      ("add TLS-101 0", "Sorry, the quantity must be from 1 to 99, not 0."),
      ("add TLS-101 -3", "Sorry, the quantity must be from 1 to 99, not -3."),
      ("add TLS-101 100", "Sorry, the quantity must be from 1 to 99, not 100."),
      (
        "add TLS-101 99999999999999999999",
        "Sorry, the quantity “99999999999999999999” must be a whole number from 1 to 99."
      ),
      ("add TLS-101", "Sorry, write a SKU and how many, for example add TLS-101 1."),
      ("add TLS-117 2", "Sorry, only one Bench vice 100 mm (TLS-117) is left."),
      ("add TLS-114 1", "Sorry, Hand saw 500 mm (TLS-114) is sold out; choose something else."),
      ("add teapot 1", "Sorry, 3 products have “teapot” in their names; write the SKU of one of them."),
      ("remove TLS-101", "Sorry, Claw hammer, 16 oz (TLS-101) is not in the basket."),
      ("quantity TLS-101 1", "Sorry, Claw hammer, 16 oz (TLS-101) is not in the basket."),
      ("undo", "Sorry, there is no change to undo."),
      ("currency CHF", "Sorry, choose EUR, USD, GBP."),
      ("checkout", "Sorry, the basket is empty; add something first, or abandon."),
      ("back", "Sorry, this is the first question; abandon stops the checkout."),
      ("", "Type an answer, or help."),
    ])
  func basket(line: String, sentence: String) async throws {
    let ending = try await Program.run(answers: [line, "add TLS-101 1"])
    let asked = try #require(ending.lines.firstIndex { $0.hasPrefix("\(Self.emptyLabel): ") })
    #expect(ending.lines[asked + 1] == sentence)
    #expect(ending.lines[asked + 2] == "\(Self.emptyLabel): add TLS-101 1")
    #expect(ending.lines[asked + 4] == "Basket: €18.90")
  }

  static let emptyLabel = "What would you like? add SKU QUANTITY"
  static let label = "add, remove, quantity, undo, currency, or checkout"

  @Test(
    "An invalid card gets one sentence that does not repeat it, and nothing is lost",
    arguments: [
      ("4242 4242 4242 4241 12/99 987", "Sorry, a digit of the card number is wrong"),
      ("4242 12/99 987", "Sorry, a card number has 12 to 19 digits"),
      ("4242 4242 4242 4242 01/20 987", "Sorry, the card expired in 01/20"),
      ("4242 4242 4242 4242 12/99 1", "Sorry, the security code"),
      ("4242424242424242", "Sorry, write the card number, the expiry as MM/YY"),
    ])
  func card(wrong: String, sentence: String) async throws {
    let ending = try await Program.run(answers: AnswersTests.order + [wrong, AnswersTests.card])
    #expect(ending.status == 0)
    #expect(ending.output.contains("\n\(sentence)"))
    #expect(!ending.output.contains("987"), "the security code must not be shown")
  }

  @Test("An invalid contact and address are refused, one sentence each")
  func forms() async throws {
    let ending = try await Program.run(answers: [
      "add TLS-101 1", "checkout", "hedy@example.org", "guest", "A", "Ada", "ada@", "ada@example.org", "x", "Main St 1",
      "???",
      "10115", "Berlin",
      "Atlantis", "germany", "4", "pickup", AnswersTests.card,
    ])
    #expect(ending.status == 0)
    #expect(ending.lines.filter { $0.hasPrefix("Sorry, ") }.count == 7)
  }

  @Test("An invalid line of a catalogue gets one sentence, and the other products are sold")
  func badCatalogueLine() async throws {
    let ending = try await withCatalogue("sku,name,price,stock\nA-1,Axe,cheap,3\nB-1,Bell,2.50,3\n") {
      try await Program.run(answers: ["add A-1 1", "add B-1 1"], ["--catalogue", $0])
    }
    #expect(
      ending.lines.first?.hasSuffix(
        ", line 2: the price “cheap” must be an amount such as 12.50, at most 1000000. The line is left out.") == true)
    #expect(ending.lines.contains("Sorry, there is no product “A-1”; list and search show what there is."))
    #expect(ending.lines.contains("Basket: €2.50"))
  }

  @Test("A catalogue nothing can be sold from ends the program with one sentence", arguments: ["", "a,b\n1,2\n"])
  func badCatalogue(text: String) async throws {
    let ending = try await withCatalogue(text) { try await Program.run(["--catalogue", $0]) }
    #expect(ending.status == 1)
    #expect(ending.output.isEmpty)
    #expect(ending.errors.hasPrefix("Error: ") && ending.errors.split(separator: "\n").count == 1)
  }

  @Test(
    "A missing file, or a folder, ends the program with one sentence",
    arguments: ["--catalogue", "--answers", "--upsell", "--prices"])
  func missingFile(option: String) async throws {
    let ending = try await Program.run([option, "/no/such/file"])
    #expect(ending.status == 1)
    #expect(ending.output.isEmpty)
    #expect(ending.errors == "Error: There is no file “/no/such/file”.\n")
    #expect(try await Program.run([option, "/"]).errors == "Error: “/” is a folder; name a file.\n")
  }

  private func withCatalogue(_ text: String, _ body: (String) async throws -> Program.Ending) async throws
    -> Program.Ending
  {
    try await Program.withFolder { try await body(Program.file(text, in: $0).path) }
  }
}
