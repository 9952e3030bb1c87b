import ActorFlow
import ActorFlowTesting
import Testing

/// The effect of passivation on steps, and the mistakes that it finds.
@Suite struct PassivationTests {
  @Test("each answer creates a new instance, and the work of `once` is not repeated")
  func onceKeepsItsRecords() async throws {
    let trace = Trace()
    try await testFlow(Flow { Step("step") { ChargingStep(trace) } }, with: "", passivating: .everyQuestion) { tester in
      try await tester.answer(CardForm.self, with: 1)
      try await tester.answer(CardForm.self, with: 2)
      #expect(try await tester.finish() == "charge 1 2")
    }
    #expect(trace.all == ["made", "charge", "made", "fee 1", "made"])
  }

  @Test("a passivated step is compensated once, by its records")
  func compensated() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("shipping", ShippingStep.init)
      Step("step") { ChargingStep(trace) }
    }
    try await testFlow(flow, with: "", passivating: .everyQuestion) { tester in
      try await tester.answer(AddressForm.self, with: "a")
      try await tester.answer(CardForm.self, with: 1)
      _ = try await tester.question(CardForm.self)
      try await tester.backUp(landingAt: "shipping")
      try await tester.answer(AddressForm.self, with: "b")
      try await tester.answer(CardForm.self, with: 2)
      _ = try await tester.question(CardForm.self)
      try await tester.abandon()
    }
    let visit = ["made", "charge", "made"]
    #expect(trace.all == visit + ["fee 1", "refund charge"] + visit + ["fee 2", "refund charge"])
  }

  /// Stores the result of `skip` in actor state.
  private actor ForgetfulStep: SkippableStep {
    private var rate = 0
    func skip(_ input: Int, context: EntryContext) -> Skip<Int> {
      rate = input
      return .enter
    }
    func proceed(_ input: Int, context: StepContext) async throws -> Int {
      try await context.ask(CardForm()) * rate
    }
    func backUp(context: RollbackContext) {}
  }

  @Test("a step that stores in actor state what belongs in a record is found")
  func forgetful() async throws {
    for (passivating, expected) in [(Passivation.never, 6), (.everyQuestion, 0)] {
      try await testFlow(Flow { Step(ForgetfulStep.init) }, with: 2, passivating: passivating) { tester in
        try await tester.answer(CardForm.self, with: 3)
        #expect(try await tester.finish() == expected)
      }
    }
  }

  @Test("an effect outside `once` is found: it happens twice")
  func careless() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("careless") { (_: Int, context: StepContext) in
        trace.add("charge")
        return try await context.ask(CardForm())
      }
    }
    try await testFlow(flow, with: 1, passivating: .everyQuestion) { tester in
      try await tester.answer(CardForm.self, with: 1)
      try await tester.finish()
    }
    #expect(trace.all == ["charge", "charge"])
  }

  @Test(
    "a key used twice in one visit is refused, with and without passivation",
    arguments: [Passivation.never, .everyQuestion])
  func duplicateKey(_ passivating: Passivation) async throws {
    let flow = Flow {
      Step("twice") { (_: Int, context: StepContext) in
        let first = try await context.ask(CardForm(), key: "CardForm")
        let second = try await context.ask(CardForm())
        return try await context.ask(CardForm(), key: "CardForm") + first + second
      }
    }
    try await testFlow(flow, with: 1, passivating: passivating) { tester in
      try await tester.answer(CardForm.self, with: 1)
      try await tester.answer(CardForm.self, with: 2)
      let error = try await tester.failure(FlowError.self, at: "twice")
      #expect(error.code == .duplicateKey)
    }
  }

  @Test("a factory that throws when a step is created again fails the flow, and the step is compensated")
  func factoryThrows() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("step") {
        if !trace.all.isEmpty { throw Declined() }
        return ChargingStep(trace)
      }
    }
    try await testFlow(flow, with: "", passivating: .everyQuestion) { tester in
      try await tester.answer(CardForm.self, with: 1)
      try await tester.failure(Declined.self, at: "step")
    }
    #expect(trace.all == ["made", "charge", "refund charge"])
  }

  @Test("a leave at any moment of a reload compensates each effect once", arguments: ["abandon", "cancel", "back"])
  func leaveDuringReload(_ verb: String) async throws {
    for round in 0..<300 {
      let trace = Trace()
      let flow = Flow {
        Step("shipping", ShippingStep.init)
        Step("step") { ChargingStep(trace) }
      }
      let charges = { trace.all.filter { $0 == "charge" }.count }
      let refunds = { trace.all.filter { $0 == "refund charge" }.count }
      try await testFlow(flow, with: "", exhaustivity: .partial, passivating: .everyQuestion) { tester in
        try await tester.answer(AddressForm.self, with: "a")
        let form = try await tester.question(CardForm.self)
        let coordinator = tester.coordinator
        async let answered: Void = coordinator.answer(form.id, with: 1)
        for _ in 0..<(round % 12) { await Task.yield() }
        switch verb {
        case "abandon":
          try await tester.abandon()
          #expect(charges() == 1 && refunds() == 1)
        case "cancel":
          try await tester.cancel()
          #expect(charges() == 1 && refunds() == 1)
        default:
          try await tester.backUp(landingAt: "shipping")
          #expect(charges() == 1 && refunds() == 1)
          try await tester.answer(AddressForm.self, with: "b")
          try await tester.answer(CardForm.self, with: 2)
          try await tester.answer(CardForm.self, with: 3)
          #expect(try await tester.finish() == "charge 2 3")
          #expect(charges() == 2 && refunds() == 1)
        }
        _ = try? await answered  // refused if the leave came first
      }
    }
  }
}
