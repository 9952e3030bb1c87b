import ActorFlow
import ActorFlowTesting
import Testing

private let checks = Signal<String>("provider.check")

@Suite("Signals of replayed visits") struct SignalReplayTests {
  private let trace = Trace()

  @Test("received signals and ended waits are replayed; the replay does not wait for them again")
  func passivated() async throws {
    let clock = ManualClock()
    let step = Step<String, String>.scripted("a") { [trace] _, context in
      trace.add("begins")
      let first = try await context.wait(for: checks)
      let second = try await context.wait(for: checks, within: .seconds(5))
      let answer = try await context.ask(Form(text: "?"))
      let third = try await context.wait(for: checks)
      return "\(first) \(second ?? "none") \(answer) \(third)"
    }
    try await testFlow(
      Flow("f") { step }, with: "-", exhaustivity: .partial, passivating: .everyQuestion, clock: clock
    ) { tester in
      try await tester.coordinator.settled()
      try await tester.coordinator.send("1", to: checks)
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(5))
      try await tester.answer(Form.self, with: "yes")
      try await tester.coordinator.send("3", to: checks)
      #expect(try await tester.finish() == "1 none yes 3")
    }
    #expect(trace.all == ["begins", "begins"])
  }

  @Test("a wait beside an answered question continues after the replay")
  func besideQuestion() async throws {
    let step = Step<String, String>.scripted("a") { _, context in
      async let signal = context.wait(for: checks)
      let answer = try await context.ask(Form(text: "?"))
      return "\(answer) \(try await signal)"
    }
    try await testFlow(Flow("f") { step }, with: "-", exhaustivity: .partial, passivating: .everyQuestion) { tester in
      _ = await event("waiting a provider.check", of: tester.coordinator)
      try await tester.answer(Form.self, with: "yes")
      try await tester.coordinator.settled()
      try await tester.coordinator.send("1", to: checks)
      #expect(try await tester.finish() == "yes 1")
    }
  }
}
