import ActorFlow
import ActorFlowHosting
import Testing

@testable import CheckoutFlow

@Suite("A hosted purchase") struct HostedTests {
  private let store = MemoryFlowStore()
  private let shop: Shop

  init() throws {
    shop = try Fixture.shop()
  }

  /// A host that has nothing but the store, as after a start of the program.
  private func host() async throws -> (host: FlowHost, flows: RegisteredFlow<Basket, Receipt>) {
    let host = FlowHost(store: store, owner: "shop")
    return (host, try await host.register(Flow("checkout") { Purchase(shop: shop) }))
  }

  private func start() async throws {
    let outcome = try await shop.warehouse.reserve(2, of: Fixture.hammer, idempotencyKey: "hold")
    guard case .reserved(let reservation) = outcome else { throw Problem("there are no hammers") }
    let product = try #require(shop.catalogue[Fixture.hammer])
    let line = BasketLine(product: product, unitPrice: product.price, reservation: reservation)
    try await host().flows.start(id: "order", with: Basket().adding(line))
  }

  /// Answers with a host that has just been started, and returns the question.
  @discardableResult
  private func answer<P: Prompt & Decodable>(_ type: P.Type, _ answer: P.Answer) async throws -> P
  where P.Answer: Codable {
    let host = try await host().host
    let view = try await host.flow("order").settled()
    let question = try #require(view.questions.first, "\(view)")
    try await host.flow("order").answer(question.id, with: answer)
    return try question.prompt(as: type)
  }

  @Test("with another host for each answer the order is paid once, and shipped")
  func everyAnswer() async throws {
    try await start()
    try await answer(AccountForm.self, .guest)
    try await answer(NameForm.self, "Ada Lovelace")
    try await answer(EmailForm.self, "ada@example.org")
    try await answer(StreetForm.self, "Main St 1")
    try await answer(PostcodeForm.self, "10115")
    try await answer(CityForm.self, "Berlin")
    try await answer(CountryForm.self, .germany)
    #expect(try await answer(DeliveryForm.self, .standard).options.count == 3)
    let expiry = try #require(Month(year: 2049, number: 12))
    let refused = Card(number: "4000000000000002", expiry: expiry, securityCode: "123")
    let card = Card(number: "4242424242424242", expiry: expiry, securityCode: "123")
    #expect(try await answer(PaymentForm.self, refused).declined == nil)
    let form = try await answer(PaymentForm.self, card)
    #expect(form.declined?.ending == "0002" && form.bill.tries == 1)
    let last = try await host()
    _ = try await last.host.flow("order").settled()
    _ = try await last.host.flow("order").send(Confirmation(), to: Confirmation.signal, key: "evt-1")
    _ = try await last.host.flow("order").settled()
    guard case .finished(let receipt) = try await last.flows.outcome(of: "order") else {
      Issue.record("\(try await last.host.flow("order").view())")
      return
    }
    #expect(await shop.gateway.balance == receipt.order.total)
    #expect(receipt.order.address.city == "Berlin" && receipt.payment?.cardEnding == "4242")
    #expect(await shop.courier.parcels == [try #require(receipt.parcel)])
  }

  @Test("with another host for each answer the bank's verdict on the first card is not taken for the second")
  func secureCard() async throws {
    try await start()
    try await answer(AccountForm.self, .member(email: "grace@example.org"))
    try await answer(DeliveryForm.self, .standard)
    let expiry = try #require(Month(year: 2049, number: 12))
    let card = Card(number: "4000002500003155", expiry: expiry, securityCode: "123")
    try await answer(PaymentForm.self, card)
    let first = try await answer(CancelPaymentForm.self, .cancel)
    try await answer(PaymentForm.self, card)
    let host = try await host().host
    let question = try #require(try await host.flow("order").settled().questions.first)
    let second = try question.prompt(as: CancelPaymentForm.self)
    for (payment, key) in [(first.payment, "late"), (second.payment, "second")] {
      _ = try await host.flow("order").settled()
      #expect(await shop.gateway.balance == .zero)
      _ = try await host.flow("order").send(BankVerdict(payment: payment), to: BankVerdict.signal, key: key)
    }
    #expect(try await host.flow("order").settled().signals == [Confirmation.signal.name])
    #expect(await shop.gateway.balance > .zero)
  }

  @Test("an order that is abandoned at another host releases the goods and refunds the money")
  func abandoned() async throws {
    try await start()
    try await answer(AccountForm.self, .member(email: "grace@example.org"))
    try await answer(DeliveryForm.self, .standard)
    let expiry = try #require(Month(year: 2049, number: 12))
    try await answer(
      PaymentForm.self, Card(number: "4242424242424242", expiry: expiry, securityCode: "123"))
    _ = try await host().host.flow("order").settled()
    #expect(await shop.gateway.balance > .zero)
    #expect(try await host().host.flow("order").abandon().status == .abandoned)
    #expect(await shop.gateway.balance == .zero)
    #expect(await shop.warehouse.confirmed.isEmpty)
  }

  @Test("the question for an account is stored without the shop's members")
  func noMembers() async throws {
    try await start()
    let question = try #require(try await host().host.flow("order").settled().questions.first)
    #expect(String(decoding: question.json, as: UTF8.self) == "{}")
  }
}
