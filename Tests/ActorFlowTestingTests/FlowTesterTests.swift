import ActorFlow
import ActorFlowTesting
import Testing

@Suite struct FlowTesterTests {
  @Test("a flow begins on behalf of a principal, for its guards; a finalizer is an event", arguments: [false, true])
  func principal(isPassivated: Bool) async throws {
    let flow = Flow {
      Step("shipping", ShippingStep.init)
    }
    .finally("release") { _ in }
    .guarded { _, context in if context.startedBy?.id != "ann" { throw Declined() } }
    try await testFlow(
      flow, with: "cart", by: Principal(id: "ann"), passivating: isPassivated ? .everyQuestion : .never
    ) { tester in
      try await tester.answer(AddressForm.self, with: "Main St 1")
      try await tester.expect(.finalizing("release"))
      _ = try await tester.finish()
    }
    try await testFlow(flow, with: "cart", by: Principal(id: "bob")) { tester in
      try await tester.expect(.failed("guarded"), .rolledBack)
    }
  }

  @Test("a flow is driven from its first question to its output")
  func drive() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      let form = try await tester.question(AddressForm.self)
      #expect(form.step == "checkout/shipping")
      try await tester.answer(form, with: "Main St 1")
      try await tester.expect(.moved(to: "pricing"))
      try await tester.answer(CardForm.self, at: "payment", with: 42)
      let receipt = try await tester.finish()
      #expect(receipt == "cart to Main St 1! by 42")
    }
  }

  @Test("every event can be named instead")
  func events() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      try await tester.expect(.launched, .moved(to: "shipping"), .asked(AddressForm.self, at: "shipping"))
      try await tester.coordinator.answer(AddressForm.self, with: "a", by: Principal(id: "ann"))
      let events = try await tester.expect(
        .answered(by: Principal(id: "ann")), .moved(to: "pricing", from: "checkout/shipping"),
        .matching("any move") { if case .moved = $0 { true } else { false } })
      #expect(events.map(\.sequence) == [4, 5, 6])
      try await tester.expect(.asked(CardForm.self))
      try await tester.coordinator.answer(CardForm.self, with: 1)
      try await tester.expect(.answered, .finished)
    }
  }

  @Test("a back is asserted with its landing")
  func backUp() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      try await tester.answer(AddressForm.self, with: "a")
      try await tester.expect(.moved(to: "pricing"))
      _ = try await tester.question(CardForm.self)
      let landed = try await tester.backUp(landingAt: "shipping")
      #expect(landed.step == "checkout/shipping")
      try await tester.answer(AddressForm.self, with: "b")
      try await tester.expect(.moved(to: "pricing"))
      _ = try await tester.question(CardForm.self)
      try await tester.backUp(to: "pricing")
      try await tester.answer(CardForm.self, with: 1)
      #expect(try await tester.finish() == "cart to b! by 1")
    }
  }

  @Test("abandoning ends the flow")
  func abandon() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      _ = try await tester.question(AddressForm.self)
      try await tester.abandon(reason: "closed the window")
    }
    try await testFlow(checkout, with: "cart") { tester in
      _ = try await tester.question(AddressForm.self)
      try await tester.abandon(rollingBack: false)
    }
  }

  @Test("cancelling the caller ends the flow")
  func cancel() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      _ = try await tester.question(AddressForm.self)
      try await tester.cancel()
    }
  }

  @Test("endings can be asserted event by event")
  func endings() async throws {
    let stubborn = StepDouble<String, String>(.asking(AddressForm()) { $0 }, onBackUp: { _ in throw Declined() })
    try await testFlow(Flow { Step("stubborn") { stubborn } }, with: "") { tester in
      _ = try await tester.question(AddressForm.self)
      try await tester.refusal(.rollbackFailed) { try await $0.abandon(reason: "late") }
      try await tester.expect(
        .leaving("stubborn", .abandoned(reason: "late")), .abandoned(reason: "late"), .rolledBack(errors: 1))
    }
    try await testFlow(checkout, with: "cart") { tester in
      try await tester.answer(AddressForm.self, with: "a")
      try await tester.expect(.moved(to: "pricing"))
      try await tester.answer(CardForm.self, with: 0)
      try await tester.expect(.failed("payment", with: Declined.self), .rolledBack)
    }
  }

  @Test("a failing step is asserted with its error")
  func failingStep() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      try await tester.answer(AddressForm.self, with: "a")
      try await tester.expect(.moved(to: "pricing"))
      try await tester.answer(CardForm.self, with: 0)
      let error = try await tester.failure(Declined.self, at: "payment")
      #expect(error == Declined())
    }
    try await testFlow(Flow { Step("only") { (_: Int) -> Int in throw Declined() } }, with: 1) { tester in
      try await tester.failure()
    }
  }

  @Test("a refused request is asserted with its error, and the flow continues")
  func refusals() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      let form = try await tester.question(AddressForm.self)
      try await tester.refusal(.cannotBackUp) { try await $0.backUp() }
      let error = try await tester.refusal(of: FormError.self) { try await $0.answer(form.id, with: "") }
      #expect(error.text == "street is missing")
      try await tester.abandon()
    }
  }

  @Test("an update is asserted with the prompt shown after it")
  func updates() async throws {
    let flow = Flow {
      Step("live") { (hints: [String], context: StepContext) in
        try await context.ask(
          AddressForm(),
          updates: AsyncStream { stream in
            for hint in hints { stream.yield(AddressForm(hint: hint)) }
            stream.finish()
          })
      }
    }
    try await testFlow(flow, with: ["x", "y"]) { tester in
      var form = try await tester.question(AddressForm.self)
      form = try await tester.updated(form)
      #expect(form.prompt.hint == "x")
      try await tester.expect(.updated(AddressForm.self, at: "live"))
      form = try await tester.question(AddressForm.self)
      #expect(form.prompt.hint == "y")
      try await tester.answer(form, with: "a")
      try await tester.finish()
    }
  }

  @Test("skipped steps and withdrawn questions are asserted")
  func skippedAndWithdrawn() async throws {
    let clock = ManualClock()
    let flow = Flow {
      Step("skipper") { Skipper() }
      Step("kept") { Skipper() }.onBackUp(.returnableIfSkipped)
      Step("hurried") { HurriedStep(clock) }
    }
    try await testFlow(flow, with: "") { tester in
      try await tester.expect(.skipped("skipper"), .skipped("kept"))
      _ = try await tester.question(AddressForm.self)
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(60))
      try await tester.expect(.withdrawn)
      #expect(try await tester.finish() == "nobody answered")
    }
  }

  @Test("a flow without input, and the return value of the body")
  func noInput() async throws {
    let flow = Flow { Step("one") { 1 } }
    let output = try await testFlow(flow) { tester in
      try await tester.expect(.moved(to: "one"))
      return try await tester.finish()
    }
    #expect(output == 1)
  }

  @TaskLocal private static var tenant = "nobody"

  @Test("steps see the task-local values of the test")
  func taskLocals() async throws {
    try await Self.$tenant.withValue("ann") {
      try await testFlow(Flow { Step("who") { Self.tenant } }) { tester in
        try await tester.expect(.moved(to: "who"))
        #expect(try await tester.finish() == "ann")
      }
    }
  }

  @Test("the body runs where the test runs") @MainActor
  func isolation() async throws {
    let notes = Notes()
    try await testFlow(checkout, with: "cart") { tester in
      _ = try await tester.question(AddressForm.self)
      notes.lines.append("asked")
      try await tester.abandon()
    }
    #expect(notes.lines == ["asked"])
  }

  @MainActor private final class Notes {
    var lines: [String] = []
  }

  private actor Skipper: SkippableStep {
    func skip(_ input: String, context: EntryContext) -> Skip<String> { .with(input) }
    func proceed(_ input: String, context: StepContext) -> String { input }
    func backUp(context: RollbackContext) {}
  }
}
