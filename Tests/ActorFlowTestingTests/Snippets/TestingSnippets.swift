import ActorFlow
import ActorFlowTesting
import Testing

/// The code blocks of the documentation of `ActorFlowTesting`, as tests.
@Suite struct TestingSnippets {
  let cart = Cart(total: 42)
  let card = 4242

  @Test("a flow is driven to its end")
  func drive() async throws {
    try await testFlow(checkout, with: cart) { tester in
      let form = try await tester.question(AddressForm.self)
      try await tester.answer(form, with: Address(street: "Main St 1"))
      try await tester.expect(.moved(to: "pricing"))
      try await tester.answer(PaymentForm.self, with: card)
      let receipt = try await tester.finish()
      #expect(receipt.total == 42)
    }
  }

  @Test("question and answer in one call")
  func short() async throws {
    let onlyPayment = Flow { Step("payment", PaymentStep.init) }
    try await testFlow(onlyPayment, with: Order(total: 42)) { tester in
      try await tester.answer(PaymentForm.self, with: card)
      let receipt = try await tester.finish()
      #expect(receipt.total == 42)
    }
  }

  @Test("expecting several events")
  func expecting() async throws {
    let flow = Flow {
      Step("pricing") { (cart: Cart) in Order(total: cart.total) }
      Step("gift-wrap", GiftWrapStep.init)
      Step("payment", PaymentStep.init)
    }
    try await testFlow(flow, with: cart) { tester in
      try await tester.expect(.moved(to: "pricing"), .skipped("gift-wrap"), .moved(to: "payment"))
      try await tester.skipRest()
      try await tester.abandon()
    }
  }

  @Test("expecting refusals")
  func refusing() async throws {
    try await testFlow(checkout, with: cart) { tester in
      let form = try await tester.question(AddressForm.self)
      try await tester.refusal(.cannotBackUp) { try await $0.backUp() }
      try await tester.refusal(of: FormError.self) { try await $0.answer(form.id, with: Address(street: "")) }
      try await tester.abandon()
    }
  }

  @Test("moving a clock")
  func movingAClock() async throws {
    let clock = ManualClock()
    async let reminder: Void = clock.sleep(for: .seconds(60))
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(60))
    try await reminder
  }

  @Test("a double that declines first")
  func double() async throws {
    let receipt = Receipt(total: 42)
    let payment = StepDouble<Order, Receipt>(.throwing(Declined()), .returning(receipt))
    let flow = Flow("checkout") {
      Step("shipping", ShippingStep.init)
      Step("payment") { payment }
    }
    for isDeclined in [true, false] {
      try await testFlow(flow, with: cart) { tester in
        try await tester.answer(AddressForm.self, with: Address(street: "Main St 1"))
        if isDeclined {
          try await tester.failure(Declined.self, at: "payment")
        } else {
          try await tester.expect(.moved(to: "payment"))
          #expect(try await tester.finish().total == 42)
        }
      }
    }
    #expect(await payment.backUps == [.failed])
  }
}

extension TestingSnippets {
  struct Cart: Sendable { var total: Int }
  struct Order: Sendable { var total: Int }
  struct Receipt: Sendable { var total: Int }
  struct Address: Sendable { var street: String }

  struct AddressForm: Prompt {
    func validate(_ answer: Address) throws {
      guard !answer.street.isEmpty else { throw FormError(text: "street is missing") }
    }
  }

  struct PaymentForm: Prompt {
    typealias Answer = Int
  }

  actor ShippingStep: FlowStep {
    func proceed(_ cart: Cart, context: StepContext) async throws -> Order {
      _ = try await context.ask(AddressForm())
      return Order(total: cart.total)
    }
    func backUp(context: RollbackContext) {}
  }

  actor GiftWrapStep: SkippableStep {
    func skip(_ order: Order, context: EntryContext) -> Skip<Order> { .with(order) }
    func proceed(_ order: Order, context: StepContext) -> Order { order }
    func backUp(context: RollbackContext) {}
  }

  actor PaymentStep: FlowStep {
    func proceed(_ order: Order, context: StepContext) async throws -> Receipt {
      _ = try await context.ask(PaymentForm())
      return Receipt(total: order.total)
    }
    func backUp(context: RollbackContext) {}
  }

  var checkout: Flow<Cart, Receipt> {
    Flow("checkout") {
      Step("shipping", ShippingStep.init)
      Step("pricing") { (order: Order) in order }
      Step("payment", PaymentStep.init)
    }
  }
}
