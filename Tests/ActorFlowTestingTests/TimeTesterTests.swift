import ActorFlow
import ActorFlowTesting
import Testing

@Suite("Time of flows under test", .timeLimit(.minutes(15))) struct TimeTesterTests {
  private let log = Trace()
  private let clock = ManualClock()

  /// Asks for at most `days`, and reminds every day.
  private func patient(_ days: Int = 4, remind: @escaping @Sendable (Int) async throws -> Void) -> Flow<String, String>
  {
    Flow("f") {
      Step("ask") { (_: String, context: StepContext) in
        try await context.ask(AddressForm(), within: .day * days, reminding: .every(.day, max: 100, remind)) ?? "nobody"
      }
    }
  }

  @Test("advance returns when a due reminder has run, however long it takes")
  func reminder() async throws {
    let gate = Gate()
    let flow = patient { [log] number in
      log.add("begun \(number)")
      await gate.pass()
      log.add("done \(number)")
    }
    try await testFlow(flow, with: "x", clock: clock) { tester in
      _ = try await tester.question(AddressForm.self)
      let release = Task { [log] in
        await gate.reached(1)
        log.add("let go")
        gate.open()
      }
      try await tester.advance(clock, by: .day)
      #expect(log.all == ["begun 1", "let go", "done 1"])
      await release.value
      try await tester.answer(AddressForm.self, with: "in time")
      #expect(try await tester.finish() == "in time")
    }
  }

  @Test("reminders due by one advance run one after the other, each at its time, and the deadline fires last")
  func order() async throws {
    for _ in 0..<20 {
      let log = Trace()
      let clock = ManualClock()
      let flow = patient { number in log.add("\(number) at \(clock.now.offset / .day)") }
      try await testFlow(flow, with: "x", clock: clock) { tester in
        _ = try await tester.question(AddressForm.self)
        try await tester.advance(clock, by: .day * 30)
        #expect(log.all == ["1 at 1.0", "2 at 2.0", "3 at 3.0"])
        #expect(clock.now.offset == .day * 30)
        try await tester.expect(.withdrawn)
        #expect(try await tester.finish() == "nobody")
      }
    }
  }

  @Test("advance returns when the flow waits again: the consequences of a deadline, a pause or a wait have happened")
  func goesOn() async throws {
    let scans = Signal<String>("scan")
    let flow = Flow<String, String>("f") {
      Step("flaky") { [log] (input: String, _: StepContext) throws -> String in
        log.add("attempt")
        guard log.all.count == 3 else { throw Declined() }
        return input
      }.retry(5, backoff: .constant(.seconds(60)))
      Step("ask") { [log] (_: String, context: StepContext) in
        let answer = try await context.ask(AddressForm(), within: .seconds(10))
        log.add(answer ?? "too late")
        return answer ?? "-"
      }
      Step("wait") { [log] (input: String, context: StepContext) in
        let scan = try await context.wait(for: scans, within: .seconds(10))
        log.add(scan ?? "no scan")
        return input
      }
    }
    try await testFlow(flow, with: "x", exhaustivity: .partial, clock: clock) { tester in
      try await tester.advance(clock, by: .seconds(120))
      #expect(log.all == ["attempt", "attempt", "attempt"])
      #expect(await tester.coordinator.position.questions.count == 1)
      try await tester.advance(clock, by: .seconds(10))
      #expect(log.all.dropFirst(3) == ["too late"])
      #expect(await tester.coordinator.position.waits.count == 1)
      try await tester.advance(clock, by: .seconds(10))
      #expect(log.all.dropFirst(4) == ["no scan"])
      #expect(await tester.coordinator.position.status == .ended(.finished))
      try await tester.finish()
    }
  }

  @Test("an answer that a reminder waits for does not deadlock: a reminder that throws ends the step")
  func throwing() async throws {
    let flow = patient { _ in throw Declined() }
    try await testFlow(flow, with: "x", clock: clock) { tester in
      _ = try await tester.question(AddressForm.self)
      try await tester.advance(clock, by: .day)
      try await tester.expect(.withdrawn)
      try await tester.failure(Declined.self, at: "ask")
    }
  }

  @Test("a clock that is not the flow's is moved all the same")
  func otherClock() async throws {
    let other = ManualClock()
    try await testFlow(patient { _ in }, with: "x", clock: clock) { tester in
      _ = try await tester.question(AddressForm.self)
      try await tester.advance(other, by: .day * 9)
      #expect(other.now.offset == .day * 9)
      try await tester.advance(clock, by: .day * -1)
      #expect(clock.now.offset == .zero)
      try await tester.answer(AddressForm.self, with: "a")
      try await tester.finish()
    }
  }

  @Test("a reminder that does not return fails the test after the tester's patience")
  func hanging() async throws {
    let (gate, real) = (Gate(), ManualClock())
    let flow = patient { _ in await gate.pass() }
    let failure = try await failing {
      try await testFlow(flow, with: "x", clock: clock, patience: Patience(.seconds(1), clock: real)) { tester in
        defer { gate.open() }
        _ = try await tester.question(AddressForm.self)
        let impatience = Task {
          await gate.reached(1)
          try await real.waitForSleepers()
          real.advance(by: .seconds(1))
        }
        defer { impatience.cancel() }
        try await tester.advance(clock, by: .day)
      }
    }
    #expect(failure.message.contains("the flow to wait"))
  }
}
