import ActorFlow
import ActorFlowTesting
import Testing

private struct BankResult: Codable, Sendable {
  var payment: String
  var isPaid: Bool
}

private let bankResult = Signal<BankResult>("bank.result")

/// Waits for signals whose value meets a condition.
@Suite("Conditions of waits") struct SignalConditionTests {
  private let trace = Trace()

  /// Asks for a card until the bank says that it has paid.
  private var cards: Step<String, String> {
    .scripted("card") { [trace] _, context in
      while true {
        let card = try await context.ask(Form(text: "card"))
        let result = try await context.wait(for: bankResult, matching: { $0.payment == card }, within: .seconds(60))
        trace.add("\(card): \(result.map { "\($0.isPaid)" } ?? "late")")
        if result?.isPaid == true { return card }
      }
    }
  }

  @Test("a late result of the first card does not satisfy the wait for the second")
  func twoCards() async throws {
    let clock = ManualClock()
    let coordinator = FlowCoordinator(id: "test", clock: clock)
    let run = launch(Flow("f") { cards }, with: "-", on: coordinator)
    try await run.answer("1")
    try await coordinator.settled()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(60))
    _ = await event("stoppedWaiting card bank.result", of: coordinator)
    try await run.answer("2")
    try await coordinator.settled()
    #expect(try await coordinator.send(BankResult(payment: "1", isPaid: true), to: bankResult) == .accepted)
    #expect(try await coordinator.settled().waits.count == 1)
    #expect(try await coordinator.send(BankResult(payment: "2", isPaid: true), to: bankResult) == .accepted)
    #expect(try await run.result.get() == "2")
    #expect(trace.all == ["1: late", "2: true"])
  }

  @Test("signals that come early are judged when the step waits; those of others do not block them")
  func early() async throws {
    let run = launch(Flow("f") { cards }, with: "-")
    try await run.coordinator.settled()
    for payment in ["1", "3", "2"] {
      try await run.coordinator.send(BankResult(payment: payment, isPaid: payment == "2"), to: bankResult)
    }
    try await run.answer("3")
    try await run.answer("2")
    #expect(try await run.result.get() == "2")
    #expect(trace.all == ["3: false", "2: true"])
    #expect(await !run.lines.contains { $0.hasPrefix("waiting") })
  }

  @Test("a cancelled wait with a condition is over, and its signal is there for the next wait")
  func cancelled() async throws {
    let step = Step<String, String>.scripted("a") { _, context in
      let wait = Task { try await context.wait(for: bankResult, matching: { $0.payment == "1" }) }
      _ = try await context.ask(Form(text: "?"))
      wait.cancel()
      let error = await #expect(throws: CancellationError.self) { try await wait.value }
      _ = try await context.ask(Form(text: "\(error != nil)"))
      return try await context.wait(for: bankResult, matching: { $0.payment == "1" }).payment
    }
    let run = launch(Flow("f") { step }, with: "-")
    _ = await event("waiting a bank.result", of: run.coordinator)
    try await run.answer("!")
    _ = await event("stoppedWaiting a bank.result", of: run.coordinator)
    try await run.coordinator.send(BankResult(payment: "2", isPaid: true), to: bankResult)
    try await run.coordinator.send(BankResult(payment: "1", isPaid: true), to: bankResult)
    try await run.answer("!")
    #expect(try await run.result.get() == "1")
  }

  @Test("after a replay the step's own answers decide again, and nothing is delivered twice")
  func replayed() async throws {
    try await testFlow(Flow("f") { cards }, with: "-", exhaustivity: .partial, passivating: .everyQuestion) { tester in
      let coordinator = tester.coordinator
      try await tester.answer(Form.self, with: "1")
      try await coordinator.settled()
      try await coordinator.send(BankResult(payment: "2", isPaid: true), to: bankResult)
      try await coordinator.send(BankResult(payment: "1", isPaid: false), to: bankResult)
      try await tester.answer(Form.self, with: "2")
      #expect(try await tester.finish() == "2")
    }
  }
}
