import Testing

@testable import CheckoutFlow

@Suite struct MoneyTests {
  @Test(
    "An amount is read to the cent", arguments: [("12", 1200), ("12.5", 1250), ("0.05", 5), ("1000000", 100_000_000)])
  func reads(text: String, cents: Int) {
    #expect(Money(parsing: text) == Money(cents: cents))
  }

  @Test(
    "An invalid amount is refused",
    arguments: [
      "", ".", "1.", ".5", "1.234", "-1", "+1", "1e3", "€1", "1,50", " 1", "1000000.01", "99999999999999999999", "٣",
    ])
  func refuses(text: String) {
    #expect(Money(parsing: text) == nil)
  }

  @Test("An amount is shown with its cents and its thousands")
  func shows() {
    #expect("\(Money(cents: 5))" == "€0.05")
    #expect("\(Money(cents: 129_900))" == "€1,299.00")
    #expect("\(Money(cents: 123_456_789))" == "€1,234,567.89")
    #expect("\(Money(cents: -1250))" == "-€12.50")
  }

  @Test("A basket of the most expensive products does not overflow")
  func doesNotOverflow() {
    let line = Money.highestPrice * ShoppingList.quantityLimit
    #expect((1...10_000).reduce(Money.zero) { sum, _ in sum + line } > .highestPrice)
  }
}
