import ActorFlow
import ActorFlowTesting
import Testing

/// Each way in which a tester fails, with its message.
@Suite struct FlowTesterFailureTests {
  @Test("TC-08 an event that was not asserted fails the test and is named")
  func notAsserted() async throws {
    let line = #line + 2
    let failure = try await failing {
      try await testFlow(checkout, with: "cart") { tester in
        try await tester.answer(AddressForm.self, with: "a")
      }
    }
    #expect(
      failure.message == """
        at the end of the test these events were not asserted:
          5. moved to checkout/pricing
          6. moved to checkout/payment
          7. asked CardForm at checkout/payment
        and the question CardForm at checkout/payment is still open; answer it, or end the flow with `abandon()`
        """)
    #expect(failure.line == line)
    #expect(failure.fileID == #fileID)
    #expect(failure.description == "\(#fileID):\(line): \(failure.message)")
  }

  @Test("an ending that was not asserted fails the test")
  func endingNotAsserted() async throws {
    let failure = try await failing {
      try await testFlow(Flow { Step("one") { 1 } }) { tester in try await tester.expect(.moved(to: "one")) }
    }
    #expect(failure.message == "at the end of the test this event was not asserted:\n  3. finished")
  }

  @Test("a question that is open at the end fails the test and is named")
  func openQuestion() async throws {
    let failure = try await failing {
      try await testFlow(checkout, with: "cart") { tester in _ = try await tester.question(AddressForm.self) }
    }
    #expect(
      failure.message == """
        at the end of the test the question AddressForm at checkout/shipping is still open; \
        answer it, or end the flow with `abandon()`
        """)
  }

  @Test("an event other than the expected one is shown with those that follow, and can still be asserted")
  func otherEvent() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      try await tester.answer(AddressForm.self, with: "a")
      _ = try await tester.coordinator.settled()
      let line = #line + 1
      let first = try await failing { try await tester.expect(.moved(to: "payment")) }
      #expect(
        first.description == """
          \(#fileID):\(line): expected "moved to payment", but found: 5. moved to checkout/pricing
          what follows:
            6. moved to checkout/payment
            7. asked CardForm at checkout/payment
          """)
      let second = try await failing { try await tester.expect(.moved(to: "pricing"), .finished) }
      #expect(
        second.message == """
          expected "finished", but found: 6. moved to checkout/payment
          what follows:
            7. asked CardForm at checkout/payment
          """)
      try await tester.expect(.moved(to: "pricing"))
      _ = try await tester.question(CardForm.self)
      try await tester.abandon()
    }
  }

  @Test("an automatic step before a question must be asserted")
  func unassertedStep() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      try await tester.answer(AddressForm.self, with: "a")
      _ = try await tester.coordinator.settled()
      let failure = try await failing { _ = try await tester.question(CardForm.self) }
      #expect(
        failure.message == """
          expected a question of CardForm, but found: 5. moved to checkout/pricing
          what follows:
            6. moved to checkout/payment
            7. asked CardForm at checkout/payment
          """)
      try await tester.skipRest()
      try await tester.abandon()
    }
  }

  @Test("a question of another type, or of another step, fails at once")
  func otherQuestion() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      _ = try await tester.coordinator.settled()
      var failure = try await failing { _ = try await tester.question(CardForm.self) }
      #expect(
        failure.message == """
          expected a question of CardForm, but found: 2. moved to checkout/shipping
          what follows:
            3. asked AddressForm at checkout/shipping
          """)
      failure = try await failing { _ = try await tester.question(AddressForm.self, at: "payment") }
      #expect(failure.message.hasPrefix("expected a question of AddressForm at payment, but found: 2. moved"))
      _ = try await tester.question(AddressForm.self)
      failure = try await failing { _ = try await tester.question(CardForm.self) }
      #expect(
        failure.message
          == "expected a question of CardForm, but the flow waits for an answer to AddressForm at checkout/shipping")
      failure = try await failing { try await tester.finish() }
      #expect(
        failure.message
          == "expected \"finished\", but the flow waits for an answer to AddressForm at checkout/shipping")
      try await tester.abandon()
    }
  }

  @Test("expecting anything after the end fails at once")
  func afterTheEnd() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      _ = try await tester.question(AddressForm.self)
      try await tester.abandon()
      let first = try await failing { try await tester.expect(.finished) }
      #expect(first.message == "expected \"finished\", but the flow has ended: 6. rolled back")
      let second = try await failing { try await tester.backUp() }
      #expect(second.message.hasPrefix("`backUp` failed: flowEnded"))
      let third = try await failing { try await tester.cancel() }
      #expect(third.message == "expected \"cancelled\", but the flow has ended: 6. rolled back")
    }
  }

  @Test("a refused answer fails, names the error, and leaves the question open")
  func refusedAnswer() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      let form = try await tester.question(AddressForm.self)
      let failure = try await failing { try await tester.answer(form, with: "") }
      #expect(
        failure.message
          == "the answer to AddressForm at checkout/shipping failed: FormError(text: \"street is missing\")")
      #expect(failure.underlying as? FormError == FormError(text: "street is missing"))
      try await tester.answer(form, with: "a")
      try await tester.skipRest()
      try await tester.abandon()
    }
  }

  @Test("a back that is refused or lands elsewhere fails the test")
  func back() async throws {
    try await testFlow(checkout, with: "cart", exhaustivity: .partial) { tester in
      _ = try await tester.question(AddressForm.self)
      let refused = try await failing { try await tester.backUp() }
      #expect(refused.message.hasPrefix("`backUp` failed: cannotBackUp"))
      try await tester.answer(AddressForm.self, with: "a")
      _ = try await tester.question(CardForm.self)
      let elsewhere = try await failing { try await tester.backUp(landingAt: "pricing") }
      #expect(elsewhere.message.contains("expected \"backed up to pricing\""))
    }
    try await testFlow(checkout, with: "cart") { tester in
      try await tester.answer(AddressForm.self, with: "a")
      try await tester.expect(.moved(to: "pricing"))
      _ = try await tester.question(CardForm.self)
      let elsewhere = try await failing { try await tester.backUp(landingAt: "pricing") }
      #expect(
        elsewhere.message.hasPrefix(
          "expected \"backed up to pricing\", but found: 9. backed up from checkout/payment to checkout/shipping"))
      try await tester.skipRest()
      try await tester.abandon()
    }
  }

  @Test("a rollback with errors fails the helpers that expect none")
  func rollbackErrors() async throws {
    let double = StepDouble<String, String>(
      .throwing(Declined()), .waiting, onBackUp: { _ in throw FormError(text: "no refund") })
    let flow = Flow { Step("double") { double } }
    let failed = try await failing {
      try await testFlow(flow, with: "") { tester in try await tester.failure(Declined.self) }
    }
    #expect(
      failed.message == """
        expected "rolled back", but found: 4. rolled back with 1 error: FormError(text: "no refund")
        """)
    let abandoned = try await failing {
      try await testFlow(flow, with: "") { tester in
        try await tester.expect(.moved(to: "double"))
        // Before its `proceed` is called, a step that is left owes no `backUp`.
        while await double.inputs.count < 2 { await Task.yield() }
        try await tester.abandon()
      }
    }
    #expect(abandoned.message.hasPrefix("`abandon` failed: rollbackFailed"))
    #expect(abandoned.message.contains("5. rolled back with 1 error: FormError(text: \"no refund\")"))
  }

  @Test("another error, or none, fails the test where a step's failure is expected")
  func otherError() async throws {
    let flow = Flow { Step("only") { (_: Int) -> Int in throw Declined() } }
    try await testFlow(flow, with: 1) { tester in
      let other = try await failing { try await tester.failure(FormError.self) }
      #expect(other.message.hasPrefix("expected a failure with FormError, but found: "))
      let finished = try await failing { try await tester.finish() }
      #expect(finished.message.hasPrefix("expected \"finished\", but found: 2. moved to only"))
      try await tester.failure(Declined.self)
    }
  }

  @Test("a request that is not refused, or refused otherwise, fails the test where a refusal is expected")
  func noRefusal() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      let form = try await tester.question(AddressForm.self)
      let other = try await failing { try await tester.refusal(.moving) { try await $0.backUp() } }
      #expect(other.message.hasPrefix("expected a refusal with \"moving\", but found: cannotBackUp"))
      let kind = try await failing {
        try await tester.refusal(of: FlowError.self) { try await $0.answer(form.id, with: "") }
      }
      #expect(
        kind.message == "expected a refusal with FlowError, but found: FormError(text: \"street is missing\")")
      let none = try await failing { try await tester.refusal(.cannotBackUp) { try await $0.abandon() } }
      #expect(none.message == "expected a refusal with \"cannotBackUp\", but nothing was refused")
      try await tester.skipRest()
    }
  }

  @Test("an error thrown by the body is thrown unchanged, and unasserted events do not matter then")
  func bodyThrows() async throws {
    await #expect(throws: Declined.self) {
      try await testFlow(checkout, with: "cart") { _ in throw Declined() }
    }
  }
}
