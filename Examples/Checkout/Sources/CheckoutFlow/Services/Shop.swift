/// The services of the flow: one shop, with one set of books.
package struct Shop: Sendable {
  /// The products.
  package let catalogue: Catalogue
  /// The source of prices.
  package let prices: any PriceSource
  /// The prices before the first request.
  package let openingPrices: PriceList
  /// The interval at which a basket requests the prices again.
  package let pricesEvery: Duration
  /// The clock of that interval.
  package let clock: any Clock<Duration>
  /// The warehouse, which holds the goods.
  package let warehouse: Warehouse
  /// The gateway, which takes the money.
  package let gateway: Gateway
  /// The courier, who takes the parcels.
  package let courier: Courier
  /// The fraud desk.
  package let fraudDesk: FraudDesk
  /// The accounts.
  package let members: Members
  /// The current month. A parameter, so that a test does not depend on the day it runs.
  package let today: Month
  /// The log of compensated effects.
  package let undone: RollbackLog

  /// A shop that sells this catalogue.
  ///
  /// - Parameter books: The records so far; empty by default.
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
