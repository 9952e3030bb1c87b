import Testing

@testable import CheckoutFlow

@Suite struct PriceListTests {
  private func read(_ text: String, in currency: Currency = .euro) throws -> PriceList {
    try PriceList(reading: text, in: currency, of: Fixture.catalogue)
  }

  @Test("A list has the changed prices; other products have the catalogue's prices")
  func reads() throws {
    let list = try read("h-1, 19.50\r\n\nUSD,1.08\n")
    let products = Fixture.catalogue.products
    #expect(products.map(list.price(of:)) == [Money(cents: 1950), Money(cents: 150)])
    #expect(list.text(Money(cents: 1950)) == "€19.50")
  }

  @Test("Another currency is shown at its rate, to the nearest cent")
  func rates() throws {
    let list = try read("USD,1.08\nGBP,0.86", in: .pound)
    #expect(list.text(Money(cents: 1950)) == "£16.77")
    #expect(list.text(Money(cents: 1)) == "£0.01")
    #expect(list.text(.zero) == "£0.00")
  }

  @Test(
    "An invalid line is named, and the whole list is refused",
    arguments: [
      ("H-1,cheap", "line 1 must hold a name and an amount, such as TLS-101,12.50"),
      ("H-1,1\nX-9,1", "line 2: “X-9” is neither a product nor a currency"),
      ("EUR,1", "line 1: “EUR” is neither a product nor a currency"),
      ("USD,0", "line 1: a euro must cost from 0.01 to 10000 USD"),
      ("H-1,1", "there is no rate for USD"),
    ])
  func refuses(text: String, sentence: String) {
    let error = #expect(throws: Problem.self) { try read(text, in: .dollar) }
    #expect(error?.sentence == sentence)
  }
}
