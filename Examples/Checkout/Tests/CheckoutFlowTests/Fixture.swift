import ActorFlow
import ActorFlowTesting
import Testing

@testable import CheckoutFlow

/// A small shop, and a customer who knows all answers.
enum Fixture {
  static let hammer = SKU("H-1")
  static let nails = SKU("N-1")
  static let anvil = Product(sku: SKU("A-1"), name: "Anvil", price: Money(cents: 15_000), stock: 30)
  static let catalogue = Catalogue([
    Product(sku: hammer, name: "Hammer", price: Money(cents: 2000), stock: 3),
    Product(sku: nails, name: "Nails", price: Money(cents: 150), stock: 50),
  ])

  static var today: Month {
    get throws { try #require(Month(year: 2030, number: 6)) }
  }

  /// A shop whose prices are requested every ten seconds of this clock.
  static func shop(
    prices: any PriceSource = Market(), openingPrices: PriceList = PriceList(), clock: ManualClock = ManualClock(),
    books: Books = Books(), gatewayRules: GatewayRules = .standard
  ) throws -> Shop {
    Shop(
      catalogue: catalogue, today: try today, gatewayRules: gatewayRules, prices: prices, openingPrices: openingPrices,
      clock: clock, books: books)
  }

  /// Runs the checkout of this shop while `body` answers; returns its ending. Payments are confirmed already, unless
  /// `body` confirms them.
  static func checkout(
    _ shop: Shop, upsell: Flow<Order, Order>? = nil, expiringAfter idle: Duration? = nil, isConfirmed: Bool = true,
    clock: any Clock<Duration> = ContinuousClock(), _ body: (Customer) async throws -> Void
  ) async throws -> Result<Receipt, any Error> {
    let coordinator = FlowCoordinator(clock: clock)
    async let ending = result(of: coordinator, shop.checkout(upsell: upsell, expiringAfter: idle))
    if isConfirmed {
      try await coordinator.settled()
      try await coordinator.send(Confirmation(), to: Confirmation.signal)
    }
    try await body(Customer(coordinator: coordinator))
    return await ending
  }

  private static func result(
    of coordinator: FlowCoordinator, _ flow: Flow<ShoppingList, Receipt>
  ) async -> Result<Receipt, any Error> {
    do { return .success(try await coordinator.run(flow, with: ShoppingList())) } catch { return .failure(error) }
  }
}

/// Answers the questions of one flow.
struct Customer {
  let coordinator: FlowCoordinator

  /// The one open question's prompt.
  func asked<P: Prompt>(_ type: P.Type) async throws -> P {
    let position = try await coordinator.settled()
    return try #require(position.questions.last?.prompt as? P, "\(position.questions.last?.step.path ?? "none")")
  }

  /// Waits for a question of this type and answers it.
  func answer<P: Prompt>(_ type: P.Type, _ answer: P.Answer) async throws {
    _ = try await asked(type)
    try await coordinator.answer(type, with: answer)
  }

  /// Adds a product to the basket.
  func add(_ sku: SKU, _ quantity: Int) async throws {
    try await answer(BasketView.self, .add(sku, quantity: quantity))
  }

  /// Checks out for the shown total.
  func checkOut() async throws {
    try await answer(BasketView.self, .checkout(total: asked(BasketView.self).total))
  }

  /// Answers every question before the payment.
  func goToPayment(
    _ product: SKU = Fixture.hammer, quantity: Int = 2, email: String = "ada@example.org", postcode: String = "10115",
    delivery: DeliveryMethod = .standard
  ) async throws {
    try await add(product, quantity)
    try await checkOut()
    try await answer(AccountForm.self, .guest)
    try await answer(NameForm.self, "Ada Lovelace")
    try await answer(EmailForm.self, email)
    try await answer(StreetForm.self, "Main St 1")
    try await answer(PostcodeForm.self, postcode)
    try await answer(CityForm.self, "Berlin")
    try await answer(CountryForm.self, .germany)
    try await answer(DeliveryForm.self, delivery)
  }
}
