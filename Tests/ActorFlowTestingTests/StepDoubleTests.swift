import ActorFlow
import ActorFlowTesting
import Testing

@Suite struct StepDoubleTests {
  typealias Double = StepDouble<String, Int>

  @Test("a double returns its script's value and records its inputs")
  func returning() async throws {
    let double = Double(.returning(1), .returning(2))
    let flow = Flow {
      Step("first") { double }.map { "\($0)" }
      Step("second") { double }.map { "\($0)" }
      Step("third") { double }
    }
    let output = try await testFlow(flow, with: "a", exhaustivity: .partial) { try await $0.finish() }
    #expect(output == 2)
    #expect(await double.inputs == ["a", "1", "2"])
    #expect(await double.backUps.isEmpty)
  }

  @Test("a double throws its script's error, and records its backUp")
  func throwing() async throws {
    let double = Double(.throwing(Declined()))
    try await testFlow(Flow { Step("double") { double } }, with: "a") { tester in
      try await tester.failure(Declined.self, at: "double")
    }
    #expect(await double.calls == [.proceed("a"), .backUp(.failed)])
  }

  @Test("a double asks a question")
  func asking() async throws {
    let double = Double(.asking(CardForm()) { $0 + 1 })
    try await testFlow(Flow { Step("double") { double } }, with: "a") { tester in
      try await tester.answer(CardForm.self, with: 41)
      #expect(try await tester.finish() == 42)
    }
  }

  @Test("a waiting double is released by being left, and each visit takes the next turn")
  func waiting() async throws {
    let double = Double(.waiting, .running { input, context in input.count })
    let flow = Flow {
      Step("shipping", ShippingStep.init)
      Step("double") { double }
    }
    try await testFlow(flow, with: "cart") { tester in
      try await tester.answer(AddressForm.self, with: "a")
      try await tester.expect(.moved(to: "double"))
      await double.hasBegun()
      try await tester.backUp()
      try await tester.answer(AddressForm.self, with: "b")
      try await tester.expect(.moved(to: "double"))
      #expect(try await tester.finish() == 9)
    }
    #expect(await double.calls == [.proceed("cart to a"), .backUp(.back), .proceed("cart to b")])
  }

  @Test("a double's backUp throws the given error")
  func failingBackUp() async throws {
    let double = Double(.waiting, onBackUp: { _ in throw Declined() })
    try await testFlow(Flow { Step("double") { double } }, with: "") { tester in
      try await tester.expect(.moved(to: "double"))
      await double.hasBegun()
      let error = try await tester.refusal(.rollbackFailed) { try await $0.abandon() }
      #expect(error.underlying as? Declined == Declined())
      try await tester.skipRest()
    }
  }

  @Test("a visit that is replayed repeats its turn and is recorded once")
  func replayed() async throws {
    let double = Double(.asking(CardForm()) { $0 }, .returning(0))
    try await testFlow(Flow { Step("double") { double } }, with: "a", passivating: .everyQuestion) { tester in
      try await tester.answer(CardForm.self, with: 7)
      #expect(try await tester.finish() == 7)
    }
    #expect(await double.calls == [.proceed("a")])
  }

  @Test("outside a flow each call takes the next turn")
  func standalone() async throws {
    let double = Double(.returning(1), .returning(2))
    #expect(try await double.proceed("a", context: .standalone) == 1)
    #expect(try await double.proceed("b", context: .standalone) == 2)
    #expect(await double.inputs == ["a", "b"])
  }
}
