import ActorFlow
import Testing

@testable import CheckoutFlow

/// Refusals of the outside world.
@Suite struct SagaTests {
  @Test("A declined card is asked for again with the reason, and nothing is lost")
  func declined() async throws {
    let shop = try Fixture.shop()
    let receipt = try await Fixture.checkout(shop) { customer in
      try await customer.goToPayment()
      try await customer.answer(PaymentForm.self, CardTests.card("4000000000009995"))
      let form = try await customer.asked(PaymentForm.self)
      #expect(form.declined?.ending == "9995" && form.declined?.reason.contains("does not hold") == true)
      #expect(form.order.basket.lines.count == 1)
      try await customer.answer(PaymentForm.self, CardTests.card("4242424242424242"))
    }.get()
    let payment = try #require(receipt.payment)
    #expect(payment.cardEnding == "4242")
    #expect(await shop.gateway.balance == payment.amount)
  }

  @Test("Where no courier goes, the order fails, the money is refunded and the goods are released")
  func courierRefuses() async throws {
    let shop = try Fixture.shop()
    let ending = try await Fixture.checkout(shop) { customer in
      try await customer.goToPayment(postcode: "99912")
      try await customer.answer(PaymentForm.self, CardTests.card("4242424242424242"))
    }
    let error = #expect(throws: Problem.self) { try ending.get() }
    #expect(error?.sentence == "no courier takes parcels to 99912 Berlin")
    #expect(await shop.gateway.balance == .zero)
    #expect(await shop.warehouse.available[Fixture.hammer] == 3)
    #expect(
      await shop.undone.takeEntries() == [
        "refunded €44.90 to the card ending in 4242", "cancelled the stock reservation of 1 line",
        "released 2 × Hammer (H-1), back on the shelf",
      ])
  }

  @Test("A charge whose outcome never arrived is voided")
  func breaksOff() async throws {
    let shop = try Fixture.shop()
    let ending = try await Fixture.checkout(shop) { customer in
      try await customer.goToPayment()
      try await customer.answer(PaymentForm.self, CardTests.card("4000000000000119"))
    }
    #expect(throws: Problem.self) { try ending.get() }
    #expect(await shop.gateway.balance == .zero)
    #expect(await shop.undone.takeEntries().first?.contains("€44.90 given back") == true)
  }

  @Test("Goods that are gone before they are packed fail the order; the courier is cancelled and the money refunded")
  func goodsAreGone() async throws {
    let shop = try Fixture.shop()
    let ending = try await Fixture.checkout(shop) { customer in
      try await customer.goToPayment()
      _ = try await customer.asked(PaymentForm.self)
      for reservation in await shop.warehouse.reservations { try await shop.warehouse.release(reservation.id) }
      try await customer.answer(PaymentForm.self, CardTests.card("4242424242424242"))
    }
    #expect(throws: Problem.self) { try ending.get() }
    #expect(await shop.courier.parcels.isEmpty)
    #expect(await shop.gateway.balance == .zero)
  }

  @Test("Delivery at home is free from €60 on; abroad no parcel can be fetched")
  func delivery() {
    let free = DeliveryOption.options(for: Money(cents: 6000), to: .germany)
    #expect(free.first == DeliveryOption(method: .standard, price: .zero))
    #expect(DeliveryOption.options(for: Money(cents: 5999), to: .germany).first?.price == Money(cents: 490))
    #expect(DeliveryOption.options(for: .zero, to: .france).map(\.method) == [.standard, .express])
  }
}
