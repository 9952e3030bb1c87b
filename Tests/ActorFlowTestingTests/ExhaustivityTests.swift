import ActorFlow
import ActorFlowTesting
import Testing

@Suite struct ExhaustivityTests {
  @Test("TC-10 in a partial test only the assertions count, and the skipped facts can be listed")
  func partial() async throws {
    try await testFlow(checkout, with: "cart", exhaustivity: .partial) { tester in
      try await tester.answer(AddressForm.self, with: "a")
      _ = try await tester.question(CardForm.self)
      #expect(
        tester.skipped.map(\.description) == [
          "moved to checkout/shipping", "moved to checkout/pricing", "moved to checkout/payment",
        ])
    }
  }

  @Test("TC-10 a partial test can report at its end all that was skipped, and what was left open")
  func report() async throws {
    let reported = Lock<[String]>([])
    let exhaustivity = Exhaustivity.partial { facts in reported.withLock { $0 = facts.map(\.description) } }
    try await testFlow(checkout, with: "cart", exhaustivity: exhaustivity) { tester in
      try await tester.answer(AddressForm.self, with: "a")
    }
    #expect(
      reported.withLock { $0 } == [
        "moved to checkout/shipping", "moved to checkout/pricing", "moved to checkout/payment",
        "asked CardForm at checkout/payment", "open question CardForm at checkout/payment",
      ])
  }

  @Test("TC-10 the expectations of a partial test must still be met, in order")
  func partialStillFails() async throws {
    let failure = try await failing {
      try await testFlow(Flow { Step("one") { 1 } }, exhaustivity: .partial) { tester in
        try await tester.expect(.finished)
        try await tester.expect(.moved(to: "one"))
      }
    }
    #expect(
      failure.message == """
        expected "moved to one" sooner or later, but the flow has ended: 3. finished
        skipped until then:
          moved to one
        """)
  }

  @Test("every helper works in a partial test")
  func partialHelpers() async throws {
    try await testFlow(checkout, with: "cart", exhaustivity: .partial) { tester in
      try await tester.answer(AddressForm.self, with: "a")
      _ = try await tester.question(CardForm.self)
      try await tester.backUp(landingAt: "shipping")
      try await tester.answer(AddressForm.self, with: "a")
      try await tester.answer(CardForm.self, with: 0)
      try await tester.failure(Declined.self, at: "payment")
    }
    try await testFlow(checkout, with: "cart", exhaustivity: .partial) { try await $0.cancel() }
    try await testFlow(checkout, with: "cart", exhaustivity: .partial) { try await $0.abandon() }
  }

  @Test("skipping the rest lets an exhaustive test end")
  func skipRest() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      try await tester.answer(AddressForm.self, with: "a")
      let skipped = try await tester.skipRest()
      #expect(skipped.map(\.sequence) == [5, 6, 7])
      #expect(tester.skipped.count == 3)
      try await tester.answer(CardForm.self, with: 1)
      try await tester.skipRest()
    }
  }

  @Test("TC-12 skipping the rest fails when there is nothing to skip")
  func nothingToSkip() async throws {
    try await testFlow(checkout, with: "cart") { tester in
      _ = try await tester.question(AddressForm.self)
      let line = #line + 1
      let failure = try await failing { try await tester.skipRest() }
      #expect(failure.message == "there is nothing to skip: every event so far was asserted")
      #expect(failure.line == line)
      try await tester.abandon()
      await #expect(throws: FlowTestFailure.self) { try await tester.skipRest() }
    }
  }
}
