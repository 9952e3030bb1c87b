import ActorFlow
import ActorFlowTesting
import Testing

@testable import CheckoutFlow

/// The basket in a flow, with prices and stock that change meanwhile.
@Suite struct BasketFlowTests {
  private let hammer = Fixture.hammer
  private let clock = ManualClock()

  private func cheap(_ cents: Int, in currency: Currency = .euro) -> Result<PriceList, Problem> {
    .success(PriceList(in: currency, rate: currency == .euro ? 100 : 200, changed: [hammer: Money(cents: cents)]))
  }

  /// Runs the basket of a shop until its prices were requested once.
  private func testBasket(
    _ shop: Shop, passivating: Passivation = .never,
    _ body: (FlowTester<Basket>, ShownQuestion<BasketView>) async throws -> Void
  ) async throws {
    try await testFlow(FilledBasket(shop: shop), with: ShoppingList(), passivating: passivating) { tester in
      let view = try await tester.question(BasketView.self)
      try await clock.waitForSleepers()
      try await body(tester, view)
    }
  }

  @Test("A basket is filled by actions, and its goods are held at the checkout")
  func actions() async throws {
    let shop = try Fixture.shop(clock: clock)
    try await testBasket(shop) { tester, empty in
      var view = try await tester.act(.add(hammer, quantity: 1), on: empty)
      view = try await tester.act(.add(Fixture.nails, quantity: 5), on: view)
      view = try await tester.act(.quantity(hammer, 3), on: view)
      view = try await tester.act(.remove(Fixture.nails), on: view)
      #expect(view.prompt.total == Money(cents: 6000))
      view = try await tester.act(.undo, on: view)
      #expect(view.prompt.lines.map(\.quantity) == [3, 5])
      try await tester.conclude(.checkout(total: Money(cents: 6750)), on: view)
      try await tester.expect(.moved(to: "hold"))
      let basket = try await tester.finish()
      #expect(basket.total == Money(cents: 6750))
      #expect(await shop.warehouse.available == [hammer: 0, Fixture.nails: 45])
    }
  }

  @Test("New prices are shown as soon as they are known, and the customer pays the shown ones")
  func newPrices() async throws {
    let shop = try Fixture.shop(prices: ScriptedPrices(.success(PriceList()), cheap(1900)), clock: clock)
    try await testBasket(shop) { tester, empty in
      var view = try await tester.act(.add(hammer, quantity: 2), on: empty)
      clock.advance(by: .seconds(10))
      view = try await tester.updated(view)
      #expect(view.prompt.total == Money(cents: 3800))
      let id = view.id
      let refusal = try await tester.refusal(of: Problem.self) {
        try await $0.answer(id, with: BasketAction.checkout(total: Money(cents: 4000)))
      }
      #expect(refusal.sentence.hasPrefix("the prices have just changed: it is €38.00 now, and not €40.00"))
      try await tester.conclude(.checkout(total: Money(cents: 3800)), on: view)
      try await tester.expect(.moved(to: "hold"))
      #expect(try await tester.finish().total == Money(cents: 3800))
    }
  }

  @Test("Unchanged prices are not shown again")
  func samePrices() async throws {
    let prices = ScriptedPrices(.success(PriceList()))
    try await testBasket(try Fixture.shop(prices: prices, clock: clock)) { tester, empty in
      for _ in 0..<3 {
        clock.advance(by: .seconds(10))
        try await clock.waitForSleepers()
      }
      #expect(await prices.asked.count == 4)
      try await tester.act(.add(hammer, quantity: 1), on: empty)
      try await tester.abandon()
    }
  }

  @Test("A price source that throws changes nothing: the old prices stay, with the reason, and are requested again")
  func throwingSource() async throws {
    let prices = ScriptedPrices(cheap(1900), .failure(Problem("the line is dead")), cheap(1800))
    let shop = try Fixture.shop(prices: prices, clock: clock)
    try await testFlow(FilledBasket(shop: shop), with: ShoppingList()) { tester in
      var view = try await tester.updated(try await tester.question(BasketView.self))
      try await clock.waitForSleepers()
      view = try await tester.act(.add(hammer, quantity: 1), on: view)
      clock.advance(by: .seconds(10))
      view = try await tester.updated(view)
      #expect(view.prompt.problem == "the line is dead")
      #expect(view.prompt.total == Money(cents: 1900))
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(10))
      view = try await tester.updated(view)
      #expect(view.prompt.problem == nil)
      #expect(view.prompt.total == Money(cents: 1800))
      try await tester.abandon()
    }
  }

  @Test("After a change of the currency its prices are requested at once, and those of the old one no more")
  func currency() async throws {
    let prices = ScriptedPrices(.success(PriceList()), cheap(1900, in: .dollar))
    try await testBasket(try Fixture.shop(prices: prices, clock: clock)) { tester, empty in
      var view = try await tester.act(.add(hammer, quantity: 1), on: empty)
      view = try await tester.act(.currency(.dollar), on: view)
      #expect(view.prompt.currency == .dollar && view.prompt.prices.currency == .euro)
      view = try await tester.updated(view)
      #expect(view.prompt.prices.text(view.prompt.total) == "$38.00")
      #expect(view.prompt.total == Money(cents: 1900))
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(10))
      try await clock.waitForSleepers()
      #expect(clock.sleepers == 1)
      #expect(await prices.asked == [.euro, .dollar, .dollar])
      try await tester.abandon()
    }
  }

  @Test("Goods sold to another customer are shown at once, and cannot be bought")
  func stock() async throws {
    let shop = try Fixture.shop(clock: clock)
    try await testBasket(shop) { tester, empty in
      var view = try await tester.act(.add(hammer, quantity: 2), on: empty)
      _ = try await shop.warehouse.reserve(2, of: hammer, idempotencyKey: "somebody else")
      view = try await tester.updated(view)
      #expect(view.prompt.stock[hammer] == 1)
      let (id, total) = (view.id, view.prompt.total)
      let refusal = try await tester.refusal(of: Problem.self) {
        try await $0.answer(id, with: BasketAction.checkout(total: total))
      }
      #expect(refusal.sentence == "only one Hammer (H-1) is left")
      try await tester.abandon()
    }
  }

  @Test("A price source that does not answer blocks nothing")
  func silentSource() async throws {
    let shop = try Fixture.shop(prices: SilentPrices(), clock: clock)
    try await testFlow(FilledBasket(shop: shop), with: ShoppingList()) { tester in
      let view = try await tester.act(.add(hammer, quantity: 1), on: try await tester.question(BasketView.self))
      try await tester.conclude(.checkout(total: Money(cents: 2000)), on: view)
      try await tester.expect(.moved(to: "hold"))
      try await tester.finish()
    }
  }

  @Test("A faster customer gets the goods: nothing is held, and the basket is shown again")
  func somebodyFaster() async throws {
    let shop = try Fixture.shop(clock: clock)
    let flow = Flow {
      Loop {
        Step("fill") { (list: ShoppingList) in BasketStep(shop: shop, list: list) }
        Step("faster") { (list: ShoppingList) in
          _ = try await shop.warehouse.reserve(2, of: Fixture.hammer, idempotencyKey: "somebody else")
          return list
        }
        Step("hold") { HoldStep(shop) }
      }
    }
    let nails = ShoppingList.Item(sku: Fixture.nails, quantity: 5)
    try await testFlow(flow, with: ShoppingList([nails]), exhaustivity: .partial) { tester in
      let empty = try await tester.question(BasketView.self, at: "fill")
      let view = try await tester.act(.add(hammer, quantity: 2), on: empty)
      try await tester.conclude(.checkout(total: Money(cents: 4750)), on: view)
      var next = try await tester.question(BasketView.self)
      #expect(next.id != view.id)
      next = try await tester.updated(next)
      #expect(next.prompt.stock[hammer] == 1)
      #expect(next.prompt.refusal == "only one Hammer (H-1) is left")
      #expect(next.prompt.lines.map(\.quantity) == [5, 2])
      #expect(await shop.warehouse.available == [hammer: 1, Fixture.nails: 50])
      let undone = try await tester.act(.undo, on: next)
      #expect(undone.prompt.lines.map(\.quantity) == [5])
      #expect(undone.prompt.refusal == nil)
      try await tester.abandon()
    }
  }
}
