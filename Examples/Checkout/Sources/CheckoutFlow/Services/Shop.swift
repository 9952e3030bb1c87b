/// Everything the flow works with: one shop, with one set of books.
package struct Shop: Sendable {
  /// What is sold.
  package let catalogue: Catalogue
  /// What it costs.
  package let prices: any PriceSource
  /// What is known of the prices before anybody has asked.
  package let openingPrices: PriceList
  /// How long a basket waits before it asks for the prices again.
  package let pricesEvery: Duration
  /// The clock by which it waits.
  package let clock: any Clock<Duration>
  /// Who holds the goods.
  package let warehouse: Warehouse
  /// Who takes the money.
  package let gateway: Gateway
  /// Who takes the parcels.
  package let courier: Courier
  /// Who looks for fraud.
  package let fraudDesk: FraudDesk
  /// Who has an account.
  package let members: Members
  /// The current month. Handed in, so that a test does not depend on the day it runs.
  package let today: Month
  /// Where steps note what they undid.
  package let undone: RollbackLog

  /// A shop that sells this catalogue.
  ///
  /// - Parameter books: What was done before; nothing by default.
  package init(
    catalogue: Catalogue, today: Month, gatewayRules: GatewayRules = .standard, prices: any PriceSource = Market(),
    openingPrices: PriceList = PriceList(), pricesEvery: Duration = .seconds(10),
    clock: any Clock<Duration> = ContinuousClock(), books: Books = Books()
  ) {
    self.catalogue = catalogue
    self.prices = prices
    self.openingPrices = openingPrices
    self.pricesEvery = pricesEvery
    self.clock = clock
    self.today = today
    warehouse = Warehouse(catalogue, book: books.warehouse)
    gateway = Gateway(rules: gatewayRules, book: books.gateway)
    courier = Courier(book: books.courier)
    fraudDesk = FraudDesk()
    members = .standard
    undone = RollbackLog()
  }
}
