import ActorFlow
import ActorFlowTesting
import Testing

/// The events of a flow do not show whether its steps are passivated.
@Suite struct PassivatedEventsTests {
  /// Returns every event, with its values, of a flow played by `script`.
  private func publishedEvents<I, O>(
    of flow: Flow<I, O>, with input: I, _ passivating: Passivation,
    _ script: (FlowTester<O>) async throws -> Void
  ) async throws -> [String] {
    let coordinator = try await testFlow(
      flow, with: input, id: "story", exhaustivity: .partial, passivating: passivating, clock: ManualClock()
    ) { tester in
      try await script(tester)
      return tester.coordinator
    }
    var lines: [String] = []
    for await event in coordinator.events {
      let position = event.position
      let stack = position.stack.map { "\($0)" }.joined(separator: " ")
      let questions = position.questions.map { "\($0.id) r\($0.revision)" }.joined(separator: " ")
      lines.append(
        "\(event.sequence) \(event.change) [\(stack)] [\(questions)] \(position.status) \(position.canBackUp)")
    }
    return lines
  }

  private func expectSameEvents<I, O>(
    of flow: Flow<I, O>, with input: I, sourceLocation: Testing.SourceLocation = #_sourceLocation,
    _ script: (FlowTester<O>) async throws -> Void
  ) async throws {
    let resident = try await publishedEvents(of: flow, with: input, .never, script)
    let passivated = try await publishedEvents(of: flow, with: input, .everyQuestion, script)
    #expect(resident.count > 2, sourceLocation: sourceLocation)
    #expect(resident == passivated, sourceLocation: sourceLocation)
  }

  @Test("the events of a passivated flow are those of one that stays in memory: several questions, back, finish")
  func severalQuestions() async throws {
    try await expectSameEvents(of: checkoutWithBasket, with: "in:") { tester in
      for line in ["a", "b", "c"] { try await tester.answer(AddressForm.self, at: "basket", with: line) }
      for card in [1, 2] { try await tester.answer(CardForm.self, at: "basket", with: card) }
      try await tester.answer(AddressForm.self, at: "shipping", with: "Main St")
      _ = try await tester.question(CardForm.self, at: "payment")
      try await tester.backUp(landingAt: "shipping")
      _ = try await tester.question(AddressForm.self, at: "shipping")
      try await tester.backUp(landingAt: "basket")
      for line in ["d", "e", "f"] { try await tester.answer(AddressForm.self, at: "basket", with: line) }
      for card in [3, 4] { try await tester.answer(CardForm.self, at: "basket", with: card) }
      try await tester.answer(AddressForm.self, at: "shipping", with: "Side St")
      try await tester.answer(CardForm.self, at: "payment", with: 5)
      #expect(try await tester.finish() == "<in:def/3/4+in:def/3/4 to Side St by 5>")
    }
  }

  @Test("the events are the same for an abandoned, a cancelled and a failed flow")
  func endings() async throws {
    try await expectSameEvents(of: checkoutWithBasket, with: "") { tester in
      for line in ["a", "b"] { try await tester.answer(AddressForm.self, at: "basket", with: line) }
      _ = try await tester.question(AddressForm.self, at: "basket")
      try await tester.abandon(reason: "late")
    }
    try await expectSameEvents(of: checkoutWithBasket, with: "") { tester in
      try await tester.answer(AddressForm.self, at: "basket", with: "a")
      _ = try await tester.question(AddressForm.self, at: "basket")
      try await tester.cancel()
    }
    try await expectSameEvents(of: checkout, with: "") { tester in
      try await tester.answer(AddressForm.self, with: "a")
      try await tester.answer(CardForm.self, with: 0)
      try await tester.failure(Declined.self, at: "payment")
    }
  }

  @Test("the events are the same for prompts that are updated")
  func updates() async throws {
    let flow = Flow {
      Step("live") { (_: String, context: StepContext) in
        let first = try await context.ask(AddressForm(), updates: Self.updates)
        return first + (try await context.ask(AddressForm(), updates: Self.updates))
      }
    }
    try await expectSameEvents(of: flow, with: "") { tester in
      for answer in ["a", "b"] {
        let form = try await tester.question(AddressForm.self)
        try await tester.answer(tester.updated(tester.updated(form)), with: answer)
      }
      #expect(try await tester.finish() == "ab")
    }
  }

  @Test("the events are the same for a step that requests the back or the abandon")
  func fromInside() async throws {
    let flow = Flow {
      Step("shipping", ShippingStep.init)
      Step("chooser") { (_: String, context: StepContext) in
        if try await context.ask(CardForm()) == 0 { try await context.backUp() }
        if try await context.ask(CardForm()) == 0 { try await context.abandon("changed my mind") }
        return 1
      }
    }
    try await expectSameEvents(of: flow, with: "") { tester in
      try await tester.answer(AddressForm.self, with: "a")
      try await tester.answer(CardForm.self, with: 0)
      try await tester.expect(.leaving("chooser", .back), .backedUp(to: "shipping"))
      try await tester.answer(AddressForm.self, with: "b")
      try await tester.answer(CardForm.self, with: 1)
      try await tester.answer(CardForm.self, with: 0)
      try await tester.expect(.abandoned(reason: "changed my mind"), .rolledBack)
    }
  }

  private static var updates: AsyncStream<AddressForm> {
    AsyncStream { stream in
      for hint in ["x", "y"] { stream.yield(AddressForm(hint: hint)) }
      stream.finish()
    }
  }

  @Test("the events are the same for questions asked by a child task, also for those the step gives up")
  func childTasks() async throws {
    let flow = Flow {
      Step("children") { (_: String, context: StepContext) in
        async let first = context.ask(AddressForm())
        let address = try await first
        // Asks, and gives the question up as soon as it is open.
        let opened = AsyncStream<AddressForm>.makeStream()
        let given = await withThrowingTaskGroup(of: String.self) { group in
          group.addTask { try await context.ask(AddressForm(), updates: Opened(tell: opened.continuation)) }
          for await _ in opened.stream { break }
          group.cancelAll()
          do { return try await group.next() ?? "" } catch { return "-" }
        }
        return address + given + (try await context.ask(AddressForm()))
      }
    }
    try await expectSameEvents(of: flow, with: "") { tester in
      try await tester.answer(AddressForm.self, with: "a")
      try await tester.expect(.asked(AddressForm.self), .withdrawn)
      try await tester.answer(AddressForm.self, with: "b")
      #expect(try await tester.finish() == "a-b")
    }
  }

  /// Updates that never arrive; reports when a task begins to wait for one, because the question is then open.
  private struct Opened: AsyncSequence, Sendable {
    let tell: AsyncStream<AddressForm>.Continuation
    func makeAsyncIterator() -> Iterator { Iterator(tell: tell) }
    struct Iterator: AsyncIteratorProtocol {
      let tell: AsyncStream<AddressForm>.Continuation
      mutating func next() async -> AddressForm? {
        tell.yield(AddressForm())
        return nil
      }
    }
  }
}

/// Asks for three lines and a card, with or without keys.
private let basket = Step("basket") { (input: String, context: StepContext) in
  var text = input
  for _ in 1...3 { text += try await context.ask(AddressForm(hint: text)) }
  let card = try await context.ask(CardForm(), key: "card")
  return "\(text)/\(card)/\(try await context.ask(CardForm()))"
}

private let checkoutWithBasket = Flow("shop") {
  basket
  Step("shipping", ShippingStep.init).carrying { basket, order in "\(basket)+\(order)" }
  Step("payment", PaymentStep.init).map { "<\($0)>" }
}
