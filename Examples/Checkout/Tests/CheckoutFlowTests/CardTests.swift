import Testing

@testable import CheckoutFlow

@Suite struct CardTests {
  @Test("A card is valid until its month is over")
  func expiry() throws {
    let card = try Self.card("4242424242424242", "06/30")
    try card.check(today: #require(Month(year: 2030, number: 6)))
    #expect(throws: Problem.self) { try card.check(today: #require(Month(year: 2030, number: 7))) }
  }

  @Test(
    "A valid card passes", arguments: ["4242424242424242", "378282246310005", "4000000000000002", "6304000000000000"])
  func passes(number: String) throws {
    try Self.card(number).check(today: Fixture.today)
  }

  @Test(
    "A malformed number is refused",
    arguments: ["4242424242424241", "4242", "42424242424242424242", "4242x24242424242", ""])
  func refuses(number: String) throws {
    let card = try Self.card(number)
    #expect(throws: Problem.self) { try card.check(today: Fixture.today) }
  }

  @Test("A malformed security code is refused", arguments: ["", "12", "12345", "12a"])
  func refusesCode(code: String) throws {
    let card = try Self.card("4242424242424242", code: code)
    #expect(throws: Problem.self) { try card.check(today: Fixture.today) }
  }

  @Test("A printed card shows four digits of its number and no code")
  func hidesItself() throws {
    let card = try Self.card("4242424242424242", code: "987")
    for text in ["\(card)", String(reflecting: card)] {
      #expect(text == "card ending in 4242")
    }
  }

  @Test("A month is read with two or four digits of its year")
  func month() {
    #expect(Month(parsing: "6/30") == Month(year: 2030, number: 6))
    #expect(Month(parsing: "06/2030") == Month(year: 2030, number: 6))
    for text in ["", "6", "13/30", "0/30", "06/3", "06-30", "a/30", "06/30/1", "-6/30"] {
      #expect(Month(parsing: text) == nil, "\(text)")
    }
  }

  static func card(_ number: String, _ expiry: String = "12/49", code: String = "123") throws -> Card {
    Card(number: number, expiry: try #require(Month(parsing: expiry)), securityCode: code)
  }
}
