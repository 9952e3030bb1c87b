import ActorFlow
import ActorFlowTesting
import Testing

@testable import CheckoutFlow

/// Branches and joins: customers, checks, payment, offers.
@Suite struct CompositionTests {
  private let good = "4242424242424242"
  private let bad = "4000000000000002"

  @Test("A member is asked for neither contact nor address, and pays less")
  func member() async throws {
    let receipt = try await Fixture.checkout(try Fixture.shop()) { customer in
      try await customer.add(Fixture.hammer, 1)
      try await customer.checkOut()
      try await customer.answer(AccountForm.self, .member(email: "Grace@example.org"))
      try await customer.answer(DeliveryForm.self, .pickup)
      try await customer.answer(PaymentForm.self, CardTests.card(good))
    }.get()
    #expect(receipt.order.contact.name == "Grace Hopper")
    #expect(receipt.order.discount == Money(cents: 200))
    #expect(receipt.payment?.amount == Money(cents: 1800))
  }

  @Test("A customer without an account is told so, and a back from a guest's first question leads to the account")
  func unknownMember() async throws {
    _ = try await Fixture.checkout(try Fixture.shop()) { customer in
      try await customer.add(Fixture.hammer, 1)
      try await customer.checkOut()
      await #expect(throws: Problem.self) {
        try await customer.answer(AccountForm.self, .member(email: "hedy@example.org"))
      }
      try await customer.answer(AccountForm.self, .guest)
      _ = try await customer.asked(NameForm.self)
      try await customer.coordinator.backUp()
      _ = try await customer.asked(AccountForm.self)
      try await customer.coordinator.abandon()
    }
  }

  @Test("A refused fraud check fails with its sentence, and everything reserved is released")
  func fraud() async throws {
    let shop = try Fixture.shop()
    let ending = try await Fixture.checkout(shop) { customer in
      try await customer.goToPayment(email: "eve@fraud.example")
    }
    let error = #expect(throws: Problem.self) { try ending.get() }
    #expect(error?.sentence.hasPrefix("the fraud check refused the order") == true)
    #expect(await shop.warehouse.available == [Fixture.hammer: 3, Fixture.nails: 50])
    #expect(await shop.warehouse.confirmed.isEmpty)
  }

  @Test("Stock that is gone at its firm reservation fails the order")
  func stockIsGone() async throws {
    let shop = try Fixture.shop()
    let ending = try await Fixture.checkout(shop) { customer in
      try await customer.add(Fixture.hammer, 1)
      try await customer.checkOut()
      _ = try await customer.asked(AccountForm.self)
      for reservation in await shop.warehouse.reservations { try await shop.warehouse.release(reservation.id) }
      try await customer.answer(AccountForm.self, .member(email: "grace@example.org"))
      try await customer.answer(DeliveryForm.self, .pickup)
    }
    let error = #expect(throws: Problem.self) { try ending.get() }
    #expect(error?.sentence == "the warehouse no longer holds the goods of this order")
  }

  @Test("Both checks ask at the same time, in any order; a back leaves both")
  func questionsAtOnce() async throws {
    let shop = Shop(catalogue: Catalogue([Fixture.anvil]), today: try Fixture.today)
    let receipt = try await Fixture.checkout(shop) { customer in
      try await customer.goToPayment(Fixture.anvil.sku, quantity: 25)
      var position = try await customer.coordinator.settled()
      #expect(position.questions.count == 2)
      #expect(position.branches.map(\.path) == ["checkout/checks/stock", "checkout/checks/fraud"])
      try await customer.coordinator.answer(PackingForm.self, with: .split)
      position = try await customer.coordinator.settled()
      #expect(position.questions.map(\.step) == ["checkout/checks/fraud"])
      #expect(await shop.warehouse.confirmed.count == 1)
      try await customer.coordinator.backUp()
      #expect(await shop.warehouse.confirmed.isEmpty)
      try await customer.answer(DeliveryForm.self, .standard)
      try await customer.coordinator.settled()
      try await customer.coordinator.answer(BirthYearForm.self, with: 1990)
      try await customer.coordinator.answer(PackingForm.self, with: .together)
      try await customer.answer(PaymentForm.self, CardTests.card(good))
    }.get()
    #expect(receipt.order.packing == .together)
    #expect(receipt.order.clearance == Clearance(reference: "age known"))
  }

  @Test("After three declined cards another payment method is asked for, and nothing is charged")
  func threeTries() async throws {
    let shop = try Fixture.shop()
    let receipt = try await Fixture.checkout(shop, isConfirmed: false) { customer in
      try await customer.goToPayment()
      for number in 0..<3 {
        #expect(try await customer.asked(PaymentForm.self).bill.tries == number)
        try await customer.answer(PaymentForm.self, CardTests.card(bad))
      }
      try await customer.answer(MethodForm.self, .invoice)
    }.get()
    #expect(receipt.payment == nil)
    #expect(await shop.gateway.balance == .zero)
  }

  @Test("A back from the second card leads to the question before the payment, and the tries begin anew")
  func backBetweenTries() async throws {
    _ = try await Fixture.checkout(try Fixture.shop()) { customer in
      try await customer.goToPayment()
      try await customer.answer(PaymentForm.self, CardTests.card(bad))
      #expect(try await customer.asked(PaymentForm.self).bill.tries == 1)
      try await customer.coordinator.backUp()
      try await customer.answer(DeliveryForm.self, .standard)
      #expect(try await customer.asked(PaymentForm.self).bill.tries == 0)
      for _ in 0..<3 { try await customer.answer(PaymentForm.self, CardTests.card(bad)) }
      _ = try await customer.asked(MethodForm.self)
      try await customer.coordinator.abandon()
    }
  }

  @Test("A paid order waits for the provider; a second confirmation with one key is a duplicate")
  func confirmation() async throws {
    let receipt = try await Fixture.checkout(try Fixture.shop(), isConfirmed: false) { customer in
      try await customer.goToPayment()
      try await customer.answer(PaymentForm.self, CardTests.card(good))
      let position = try await customer.coordinator.settled()
      #expect(position.waits.map(\.step) == ["checkout/confirmation"])
      #expect(position.questions.isEmpty)
      let send = { try await customer.coordinator.send(Confirmation(), to: Confirmation.signal, key: "evt-1") }
      #expect(try await send() == .accepted)
      #expect([.duplicate, .flowEnded].contains(try await send()))
    }.get()
    #expect(receipt.payment != nil)
  }

  @Test("A card with 3-D Secure is charged when its bank has approved this payment, and not by a late verdict")
  func secureCard() async throws {
    let shop = try Fixture.shop()
    let receipt = try await Fixture.checkout(shop) { customer in
      let coordinator = customer.coordinator
      try await customer.goToPayment()
      try await customer.answer(PaymentForm.self, CardTests.card("4000002500003155"))
      let first = try await customer.asked(CancelPaymentForm.self)
      #expect(try await coordinator.settled().waits.map(\.signal) == [BankVerdict.signal.name])
      try await customer.answer(CancelPaymentForm.self, .cancel)
      let form = try await customer.asked(PaymentForm.self)
      #expect(form.declined == DeclinedCard(ending: "3155", reason: "you have cancelled it") && form.bill.tries == 1)
      try await customer.answer(PaymentForm.self, CardTests.card("4000002500003155"))
      let second = try await customer.asked(CancelPaymentForm.self)
      try await coordinator.send(BankVerdict(payment: first.payment), to: BankVerdict.signal)
      #expect(try await customer.asked(CancelPaymentForm.self).payment == second.payment)
      #expect(await shop.gateway.balance == .zero)
      try await coordinator.send(BankVerdict(payment: second.payment), to: BankVerdict.signal)
    }.get()
    #expect(receipt.payment?.cardEnding == "3155")
  }

  @Test("A late verdict of a card's bank does not count for the same try after a back")
  func lateVerdictAfterBack() async throws {
    let shop = try Fixture.shop()
    _ = try await Fixture.checkout(shop) { customer in
      let coordinator = customer.coordinator
      try await customer.goToPayment()
      try await customer.answer(PaymentForm.self, CardTests.card("4000002500003155"))
      let first = try await customer.asked(CancelPaymentForm.self)
      try await coordinator.backUp()
      try await customer.answer(DeliveryForm.self, .standard)
      try await customer.answer(PaymentForm.self, CardTests.card("4000002500003155"))
      let second = try await customer.asked(CancelPaymentForm.self)
      #expect(second.payment != first.payment)
      try await coordinator.send(BankVerdict(payment: first.payment), to: BankVerdict.signal)
      #expect(try await customer.asked(CancelPaymentForm.self).payment == second.payment)
      #expect(await shop.gateway.balance == .zero)
      try await coordinator.abandon()
    }
  }

  @Test("A payment that is not confirmed in time is refunded")
  func notConfirmed() async throws {
    let shop = try Fixture.shop()
    let clock = ManualClock()
    let ending = try await Fixture.checkout(shop, isConfirmed: false, clock: clock) { customer in
      try await customer.goToPayment()
      try await customer.answer(PaymentForm.self, CardTests.card(good))
      try await customer.coordinator.settled()
      clock.advance(by: .seconds(60))
    }
    let error = #expect(throws: Problem.self) { try ending.get() }
    #expect(error?.sentence == "the payment provider did not confirm the payment within 60 seconds")
    #expect(await shop.gateway.balance == .zero)
  }

  @Test("A checkout whose customer stays away expires and releases its goods; new prices do not restart the idle time")
  func expires() async throws {
    let (clock, shopClock) = (ManualClock(), ManualClock())
    let dearer = PriceList(changed: [Fixture.hammer: Money(cents: 2100)])
    let prices = ScriptedPrices(.success(PriceList()), .success(PriceList()), .success(dearer))
    let shop = try Fixture.shop(prices: prices, clock: shopClock)
    let ending = try await Fixture.checkout(shop, expiringAfter: .seconds(600), clock: clock) { customer in
      _ = try await customer.asked(BasketView.self)
      clock.advance(by: .seconds(599))
      try await customer.add(Fixture.hammer, 2)
      clock.advance(by: .seconds(599))
      try await shopClock.waitForSleepers()
      try await customer.checkOut()
      _ = try await customer.asked(AccountForm.self)
      #expect(await shop.warehouse.available[Fixture.hammer] == 1)
      try await customer.coordinator.backUp()
      clock.advance(by: .seconds(599))
      try await shopClock.waitForSleepers()
      shopClock.advance(by: .seconds(10))
      try await shopClock.waitForSleepers()
      #expect(try await customer.asked(BasketView.self).total == Money(cents: 4200))
      clock.advance(by: .seconds(1))
    }
    let error = #expect(throws: FlowError.self) { try ending.get() }
    #expect(error?.code == .abandoned)
    #expect(await shop.warehouse.available[Fixture.hammer] == 3)
  }
}
