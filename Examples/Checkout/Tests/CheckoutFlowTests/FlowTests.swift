import ActorFlow
import Testing

@testable import CheckoutFlow

/// The flow on a coordinator, without a terminal.
@Suite struct FlowTests {
  @Test("An order is paid, its goods are shipped, its parcel is booked")
  func finishes() async throws {
    let shop = try Fixture.shop()
    let receipt = try await Fixture.checkout(shop) { customer in
      try await customer.goToPayment()
      try await customer.answer(PaymentForm.self, CardTests.card("4242424242424242"))
    }.get()
    #expect(receipt.payment?.amount == Money(cents: 4490))
    #expect(receipt.parcel != nil)
    #expect(await shop.gateway.balance == Money(cents: 4490))
    #expect(await shop.warehouse.available[Fixture.hammer] == 1)
    #expect(await shop.warehouse.reservations.isEmpty)
  }

  @Test("An order that the customer fetches is given to no courier")
  func pickup() async throws {
    let shop = try Fixture.shop()
    let receipt = try await Fixture.checkout(shop) { customer in
      try await customer.goToPayment(delivery: .pickup)
      try await customer.answer(PaymentForm.self, CardTests.card("4242424242424242"))
    }.get()
    #expect(receipt.parcel == nil)
    #expect(await shop.courier.parcels.isEmpty)
  }

  @Test("A back into the basket releases the held goods, and the basket is as it was left")
  func backReleases() async throws {
    let shop = try Fixture.shop()
    _ = try await Fixture.checkout(shop) { customer in
      try await customer.add(Fixture.hammer, 2)
      try await customer.add(Fixture.nails, 50)
      try await customer.checkOut()
      _ = try await customer.asked(AccountForm.self)
      #expect(await shop.warehouse.available == [Fixture.hammer: 1, Fixture.nails: 0])
      try await customer.coordinator.backUp()
      let view = try await customer.asked(BasketView.self)
      #expect(view.lines.map(\.product.sku) == [Fixture.hammer, Fixture.nails])
      #expect(view.lines.map(\.quantity) == [2, 50])
      #expect(view.stock == [Fixture.hammer: 3, Fixture.nails: 50])
      #expect(await shop.warehouse.reservations.isEmpty)
      #expect(
        await shop.undone.takeEntries() == [
          "released 50 × Nails (N-1), back on the shelf", "released 2 × Hammer (H-1), back on the shelf",
        ])
      try await customer.coordinator.abandon()
    }
  }

  @Test("After a back the last change can still be reverted, and the goods held then are those of the basket")
  func undoAfterBack() async throws {
    let shop = try Fixture.shop()
    _ = try await Fixture.checkout(shop) { customer in
      for _ in 0..<30 { try await customer.add(Fixture.nails, 1) }
      try await customer.checkOut()
      _ = try await customer.asked(AccountForm.self)
      try await customer.coordinator.backUp()
      #expect(try await customer.asked(BasketView.self).lines.map(\.quantity) == [30])
      try await customer.answer(BasketView.self, .undo)
      #expect(try await customer.asked(BasketView.self).lines.map(\.quantity) == [29])
      try await customer.checkOut()
      _ = try await customer.asked(AccountForm.self)
      #expect(await shop.warehouse.available[Fixture.nails] == 21)
      try await customer.coordinator.abandon()
    }
  }

  @Test("An abandoned checkout leaves the shop unchanged")
  func abandon() async throws {
    let shop = try Fixture.shop()
    let ending = try await Fixture.checkout(shop) { customer in
      try await customer.goToPayment()
      _ = try await customer.asked(PaymentForm.self)
      try await customer.coordinator.abandon(reason: "changed my mind")
    }
    let error = #expect(throws: FlowError.self) { try ending.get() }
    #expect(error?.code == .abandoned)
    #expect(await shop.warehouse.available == [Fixture.hammer: 3, Fixture.nails: 50])
    #expect(
      await shop.undone.takeEntries() == [
        "cancelled the stock reservation of 1 line", "released 2 × Hammer (H-1), back on the shelf",
      ])
  }

  @Test("An invalid answer is refused and the question stays")
  func refusal() async throws {
    _ = try await Fixture.checkout(try Fixture.shop()) { customer in
      let wrong: [BasketAction] = [
        .checkout(total: .zero), .add(SKU("X"), quantity: 1), .add(Fixture.hammer, quantity: 0),
        .add(Fixture.hammer, quantity: 4), .add(Fixture.nails, quantity: 100), .add(Fixture.nails, quantity: .max),
        .remove(Fixture.hammer), .quantity(Fixture.hammer, 1), .undo, .news(.prices(PriceList(changed: [:]))),
        .news(.stock([Fixture.hammer: 99])),
      ]
      for action in wrong {
        await #expect(throws: Problem.self) { try await customer.answer(BasketView.self, action) }
      }
      #expect(try await customer.coordinator.settled().questions.count == 1)
      try await customer.coordinator.abandon()
    }
  }
}
