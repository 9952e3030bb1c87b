import ActorFlow
import ActorFlowTesting
import Testing

@Suite("Scopes on the coordinator") struct ScopeRunTests {
  private let trace = Trace()
  private let clock = ManualClock()

  private func coordinator() -> FlowCoordinator { FlowCoordinator(id: "test", clock: clock) }
  private func automatic(_ name: String) -> Step<String, String> { Step(name) { Automatic(trace) } }
  private func asker(_ name: String) -> Step<String, String> { Step(name) { Asker(trace) } }

  /// Asks; an answer `fail` makes it throw.
  private func fragile(_ name: String) -> Step<String, String> {
    .scripted(name, backUp: { [trace] _ in trace.add("\(name):backUp") }) { [trace] input, context in
      trace.add("\(name):proceed")
      let answer = try await context.ask(Form(text: name))
      if answer == "fail" { throw Failure(name) }
      return input + answer
    }
  }

  @Test("a pause is not part of the next attempt: the attempt has its whole timeout")
  func pauseAndTimeout() async throws {
    let flow = Flow("f") {
      fragile("b").timeout(.seconds(10)).retry(3, backoff: .constant(.seconds(60)))
    }
    let run = launch(flow, with: "-", on: coordinator())
    try await run.answer("fail")
    _ = await event("caught b retry, attempt 2 after 60.0 seconds", of: run.coordinator)
    try await run.coordinator.settled()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(60))
    while trace.all.count < 2 { await Task.yield() }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(9))
    try await run.answer("x")
    #expect(try await run.result.get() == "-x")
    #expect(trace.all == ["b:proceed", "b:proceed"] && clock.sleepers == 0)
  }

  @Test("a recovery whose closure throws: run throws that error, and the failed step is named")
  func recoveryThrows() async throws {
    let flow = Flow("f") {
      automatic("a")
      Step<String, String>.scripted("b") { _, _ in throw Failure("b") }.recover { _ in throw Failure("recovery") }
    }
    let run = launch(flow, with: "-")
    #expect(await run.error as? Failure == Failure("recovery"))
    #expect(await run.lines.suffix(4) == ["caught b recover", "unwound a 0", "failed b", "rolledBack 0"])
  }

  @Test("a back while a recovery's closure runs cancels it, awaits it, and leads to before the scope")
  func backDuringRecovery() async throws {
    let hold = Checkpoint()
    let flow = Flow("f") {
      asker("a")
      automatic("b")
      fragile("c").recover { [trace] _ in
        await hold.pass()
        trace.add("recovered \(Task.isCancelled)")
        return "r"
      }
    }
    let run = launch(flow, with: "-")
    try await run.answer("1")
    try await run.answer("fail")
    await hold.reached()
    let back = await run.filing { try await $0.backUp() }
    hold.open()
    try await back.value
    try await run.coordinator.settled()
    #expect(trace.all.suffix(4) == ["recovered true", "b:backUp", "a:backUp", "a:proceed(-)"])
    try await run.coordinator.abandon()
  }

  @Test("expires: the run ends as abandoned, with rollback, and neither recover nor retry handles it")
  func expires() async throws {
    let flow = Flow("f") {
      automatic("a")
      fragile("b").recover { _ in "r" }.retry(3).expires(afterIdle: .seconds(60))
    }
    let run = launch(flow, with: "-", on: coordinator())
    try await run.coordinator.settled()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(59))
    #expect(try await run.coordinator.settled().questions.count == 1)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await run.code == .abandoned)
    #expect(trace.all.suffix(2) == ["b:backUp", "a:backUp"])
    #expect(await run.lines.suffix(2).map { String($0.prefix(9)) } == ["abandoned", "rolledBac"])
    #expect(clock.sleepers == 0)
  }

  @Test("a timeout during a step that returns slowly is one leave, and the step is awaited")
  func slowStep() async throws {
    let hold = Checkpoint()
    let step = Step<String, String>.scripted("b", backUp: { [trace] _ in trace.add("b:backUp") }) { input, _ in
      await hold.pass()
      return input
    }
    let run = launch(Flow("f") { step.timeout(.seconds(30)) }, with: "-", on: coordinator())
    await hold.reached()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(30))
    let leaving = await event("leaving b timedOut", of: run.coordinator)
    #expect(leaving?.position.status.word == "leaving b" && trace.all.isEmpty)
    clock.advance(by: .seconds(300))
    hold.open()
    #expect(await run.code == .timedOut)
    #expect(await run.lines.filter { $0.hasPrefix("leaving") }.count == 1)
  }

  @Test("a step that returns its output after the timeout has timed out all the same")
  func returnsTooLate() async throws {
    let flow = Flow("f") { asker("b").timeout(.seconds(30)).recover { "\(($0 as? FlowError)?.code == .timedOut)" } }
    let run = launch(flow, with: "-", on: coordinator())
    try await run.coordinator.settled()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(30))
    #expect(try await run.result.get() == "true")
    #expect(trace.all.last == "b:backUp")
  }

  @Test("a retry around one step keeps idempotency keys; around several each attempt has new ones")
  func keys() async throws {
    for several in [false, true] {
      let keys = Trace()
      let count = Count()
      let step = Step<String, String>.scripted("b") { input, context in
        do {
          try await context.once("k") { (key: String) -> Void in
            keys.add(key); throw Refused()
          }
        } catch {}
        if count.next() < 3 { throw Failure("b") }
        return input
      }
      let body =
        several
        ? Flow {
          step; automatic("c")
        } : step.flow
      _ = try await launch(Flow("f") { body.retry(3) }, with: "-").result.get()
      #expect(keys.all.count == 3 && Set(keys.all).count == (several ? 3 : 1), "\(keys.all)")
    }
  }

  @Test("a failed attempt is replayed: its answers are asked for again, its records are kept")
  func passivated() async throws {
    let count = Count()
    let charged = Count()
    let step = Step<String, String>.scripted("b") { _, context in
      let first = try await context.ask(Form(text: "1"))
      let charge = try await context.once("charge") { _ in charged.next() }
      let second = try await context.ask(Form(text: "2"))
      if second == "fail" { throw Failure("\(count.next())") }
      return "\(first) \(second) \(charge)"
    }
    try await testFlow(
      Flow("f") { step.retry(2) }, with: "-", exhaustivity: .partial, passivating: .everyQuestion
    ) { tester in
      for answer in ["a", "fail", "b", "c"] { try await tester.answer(Form.self, with: answer) }
      #expect(try await tester.finish() == "b c 1")
    }
    #expect(charged.now == 1 && count.now == 1)
  }

  @Test("a timeout continues while a visit is replayed")
  func timeoutPassivated() async throws {
    let step = Step<String, String>.scripted("b") { _, context in
      _ = try await context.ask(Form(text: "1"))
      return try await context.ask(Form(text: "2"))
    }
    try await testFlow(
      Flow("f") { step.timeout(.seconds(30)).recover { _ in "late" } }, with: "-", exhaustivity: .partial,
      passivating: .everyQuestion, clock: clock
    ) { tester in
      _ = try await tester.question(Form.self)
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(10))
      try await tester.answer(Form.self, with: "1")
      _ = try await tester.question(Form.self)
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(20))
      #expect(try await tester.finish() == "late")
    }
  }

  @Test("a timeout ends a loop in which no step is reached, whether the loop stands first or behind a step")
  func timeoutOfEmptyLoop() async throws {
    let body = try Flow { Step("a") { (number: Int) in number } }.removing("a").map { Again<Int, Int>.again($0) }
    let first = Flow("f") { Loop { body }.timeout(.seconds(10)) }
    let second = Flow("f") {
      Step("a") { (number: Int) in number }
      Loop { body }.timeout(.seconds(10))
    }
    for flow in [first, second] {
      let clock = ManualClock()
      let run = launch(flow, with: 1, on: FlowCoordinator(clock: clock))
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(10))
      #expect(await run.code == .timedOut)
    }
  }

  @Test("a loop in which no step is reached can be abandoned")
  func abandonedEmptyLoop() async throws {
    let body = try Flow { Step("a") { (number: Int) in number } }.removing("a").map { Again<Int, Int>.again($0) }
    let run = launch(Flow("f") { Loop { body } }, with: 1)
    _ = await event("launched", of: run.coordinator)
    try await run.coordinator.abandon(reason: "spins")
    #expect(await run.code == .abandoned)
  }
}
