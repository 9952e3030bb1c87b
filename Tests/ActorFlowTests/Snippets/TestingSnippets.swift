import ActorFlow
import ActorFlowTesting
import Testing

/// The code of the article "Testing".
@Suite("Article: testing") struct TestingSnippetTests {
  struct Address: Sendable, Equatable { var street: String }
  struct FormError: Error {}
  struct CardDeclined: Error {}

  struct AddressForm: Prompt {
    typealias Answer = Address
    func validate(_ answer: Address) throws {
      if answer.street.isEmpty { throw FormError() }
    }
  }
  struct CardForm: Prompt {
    typealias Answer = String
  }

  actor ShippingStep: FlowStep {
    func proceed(_ item: String, context: StepContext) async throws -> String {
      "\(item) to \(try await context.ask(AddressForm()).street)"
    }
    func backUp(context: RollbackContext) {}
  }

  let address = Address(street: "Main St 1")

  func checkout(_ payment: StepDouble<String, String>) -> Flow<String, String> {
    Flow("checkout") {
      Step("shipping", ShippingStep.init)
      Step("label") { (order: String) in order.uppercased() }
      Step("payment") { payment }
    }
  }

  @Test("a checkout asks for an address and a card, and finishes")
  func sells() async throws {
    let payment = StepDouble<String, String>(.asking(CardForm()) { card in "paid with \(card)" })
    try await testFlow(checkout(payment), with: "teapot") { tester in
      try await tester.answer(AddressForm.self, with: address)
      try await tester.expect(.moved(to: "label"))  // asks nothing, so no helper implies it
      try await tester.answer(CardForm.self, at: "payment", with: "4242")
      let receipt = try await tester.finish()
      #expect(receipt == "paid with 4242")
    }
    #expect(await payment.inputs == ["TEAPOT TO MAIN ST 1"])
  }

  @Test("a back returns to the address; an address without a street is refused")
  func backUp() async throws {
    let payment = StepDouble<String, String>(.asking(CardForm()) { card in "paid with \(card)" })
    try await testFlow(checkout(payment), with: "teapot") { tester in
      try await tester.answer(AddressForm.self, with: address)
      try await tester.expect(.moved(to: "label"))
      _ = try await tester.question(CardForm.self)
      try await tester.backUp(landingAt: "shipping")
      let form = try await tester.question(AddressForm.self)
      try await tester.refusal(of: FormError.self) { try await $0.answer(form.id, with: Address(street: "")) }
      try await tester.refusal(.cannotBackUp) { try await $0.backUp() }
      try await tester.abandon(reason: "changed my mind")
    }
    #expect(await payment.backUps == [.back])
  }

  @Test("a declined card compensates everything")
  func declined() async throws {
    let payment = StepDouble<String, String>(.throwing(CardDeclined()))
    try await testFlow(checkout(payment), with: "teapot") { tester in
      try await tester.answer(AddressForm.self, with: address)
      try await tester.expect(.moved(to: "label"))
      try await tester.failure(CardDeclined.self, at: "payment")
    }
    #expect(await payment.backUps == [.failed])
  }

  @Test("steps store nothing in their actors that a replay would lose")
  func replayed() async throws {
    let payment = StepDouble<String, String>(.asking(CardForm()) { card in "paid with \(card)" })
    try await testFlow(checkout(payment), with: "teapot", passivating: .everyQuestion) { tester in
      try await tester.answer(AddressForm.self, with: address)
      try await tester.expect(.moved(to: "label"))
      try await tester.answer(CardForm.self, with: "4242")
      try await tester.finish()
    }
  }

  @Test("the status has the time since which a step is being left, by the tester's clock")
  func clock() async throws {
    let clock = ManualClock()
    let flow = Flow { Step("shipping", ShippingStep.init) }
    try await testFlow(flow, with: "teapot", clock: clock) { tester in
      _ = try await tester.question(AddressForm.self)
      clock.advance(by: .seconds(5))
      try await tester.coordinator.abandon()
      let events = try await tester.expect(.leaving("shipping"), .abandoned(), .rolledBack)
      #expect(since(events[0]) == .seconds(5))
    }
  }

  struct Approval: Prompt {
    typealias Answer = Bool
  }

  @Test("branches ask in any order, a deadline passes, and a signal arrives")
  func branches() async throws {
    let receipt = Signal<String>("receipt")
    let flow = Flow("approval") {
      Parallel {
        Step("legal") { (_: String, context: StepContext) in try await context.ask(Approval()) }
        Step("finance") { (_: String, context: StepContext) in
          try await context.ask(Approval(), within: .seconds(60))
        }
      }
      Step("sent") { (_: (Bool, Bool?), context: StepContext) in try await context.wait(for: receipt) }
    }
    let clock = ManualClock()
    try await testFlow(flow, with: "contract", clock: clock) { tester in
      try await tester.expect(.moved(to: "parallel"))
      _ = try await tester.questions(Approval.self, at: "legal", "finance")
      try await tester.advance(clock, by: .seconds(60))
      try await tester.expect(.withdrawn)
      try await tester.answer(Approval.self, at: "legal", with: true)
      try await tester.expect(.joined("parallel"), .moved(to: "sent"), .waitingForSignal(receipt))
      try await tester.send("r-17", to: receipt)
      #expect(try await tester.finish() == "r-17")
    }
  }

  /// Returns the time at which a step was left, counted from the start of the run.
  private func since(_ event: NavigationEvent) -> Duration? {
    if case .leaving(_, let since) = event.position.status { since } else { nil }
  }
}
