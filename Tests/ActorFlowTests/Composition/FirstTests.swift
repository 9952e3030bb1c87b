import ActorFlow
import ActorFlowTesting
import Testing

private let results = Signal<String>("bank.result")

/// Steps that ask a question and wait for a signal, of which the first outcome counts.
@Suite("The first of an answer and a signal") struct FirstTests {
  private let trace = Trace()

  private func step(within limit: Duration? = nil) -> Step<String, String> {
    .scripted("a") { _, context in
      let first = try await context.first(
        of: Form(text: "cancel?"), or: results, matching: { $0.hasPrefix("1") }, within: limit)
      return first.text
    }
  }

  @Test("an answer comes with its circumstances, and the wait is over")
  func answered() async throws {
    let run = launch(Flow("f") { step() }, with: "-")
    let position = try await run.coordinator.settled()
    #expect(position.questions.count == 1 && position.waits.map(\.signal) == ["bank.result"])
    let question = try #require(position.questions.first)
    try await run.coordinator.answer(question.id, with: "yes", by: Principal(id: "ann"))
    #expect(try await run.result.get() == "answered yes by ann, revision 1 of test/1/1")
    #expect(
      await run.lines.suffix(5) == [
        "asked a", "waiting a bank.result", "answered", "stoppedWaiting a bank.result", "finished",
      ])
  }

  @Test("a signal withdraws the question; a late answer is refused")
  func received() async throws {
    let run = launch(
      Flow("f") {
        step()
        Step("b") { Asker() }
      }, with: "-")
    let question = try #require(try await run.coordinator.settled().questions.first)
    #expect(try await run.coordinator.send("2 paid", to: results) == .accepted)
    #expect(try await run.coordinator.settled().waits.count == 1, "it is for another payment")
    #expect(try await run.coordinator.send("1 paid", to: results) == .accepted)
    #expect(await code { try await run.coordinator.answer(question.id, with: "yes") } == .questionClosed)
    try await run.answer("!")
    #expect(try await run.result.get() == "received 1 paid!")
    #expect(await run.lines[2...5] == ["asked a", "waiting a bank.result", "received a bank.result", "withdrawn"])
  }

  @Test("a signal that came before is returned at once, and nothing is asked")
  func early() async throws {
    let run = launch(
      Flow("f") {
        Step("z") { Asker() }
        step()
      }, with: "-")
    try await run.coordinator.settled()
    for payment in ["2", "1", "1"] { try await run.coordinator.send("\(payment) paid", to: results) }
    try await run.answer("!")
    #expect(try await run.result.get() == "received 1 paid")
    #expect(await run.lines.count { $0.hasPrefix("asked") } == 1)
  }

  @Test("nil when the time is over, which closes both")
  func overdue() async throws {
    let clock = ManualClock()
    let run = launch(
      Flow("f") { step(within: .seconds(600)) }, with: "-", on: FlowCoordinator(id: "test", clock: clock))
    try await run.coordinator.settled()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(600))
    #expect(try await run.result.get() == "late")
    #expect(await run.lines.suffix(3) == ["withdrawn", "stoppedWaiting a bank.result", "finished"])
  }

  @Test("cancelling the calling task gives up both; the signal is there for the next wait")
  func cancelled() async throws {
    let opened = Checkpoint()
    let step = Step<String, String>.scripted("a") { _, context in
      let first = Task { try await context.first(of: Form(text: "?"), or: results) }
      await opened.pass()
      first.cancel()
      await #expect(throws: CancellationError.self) { try await first.value }
      return try await context.first(of: Form(text: "again"), or: results, within: nil).text
    }
    let run = launch(Flow("f") { step }, with: "-")
    _ = await event("waiting a bank.result", of: run.coordinator)
    opened.open()
    _ = await event("stoppedWaiting a bank.result", of: run.coordinator)
    try await run.coordinator.send("1", to: results)
    #expect(try await run.result.get() == "received 1")
    #expect(
      await run.lines.prefix(6)
        == ["launched", "moved -→a", "asked a", "waiting a bank.result", "withdrawn", "stoppedWaiting a bank.result"])
  }

  @Test("leaving the visit closes both", arguments: [false, true])
  func left(backsUp: Bool) async throws {
    let run = launch(
      Flow("f") {
        Step("z") { Asker() }
        step(within: .seconds(600))
      }, with: "-")
    try await run.answer("!")
    try await run.coordinator.settled()
    if backsUp {
      try await run.coordinator.backUp()
      let position = try await run.coordinator.settled()
      #expect(position.waits.isEmpty && position.questions.map(\.step.name) == ["z"])
    }
    try await run.coordinator.abandon()
    #expect(await run.code == .abandoned)
    #expect(await run.coordinator.position.waits.isEmpty)
  }

  @Test("an answer and a signal that come at once: one wins, and the other one is refused or buffered")
  func atOnce() async throws {
    for _ in 0..<200 {
      let run = launch(
        Flow("f") {
          step()
          Step<String, String>.scripted("b") { input, context in
            "\(input), \(try await context.first(of: Form(text: "b"), or: results).text)"
          }
        }, with: "-")
      let coordinator = run.coordinator
      let question = try #require(try await coordinator.settled().questions.first)
      async let answer = code { try await coordinator.answer(question.id, with: "yes") }
      async let sent = coordinator.send("1", to: results)
      let (refusal, delivery) = try await (answer, sent)
      #expect(delivery == .accepted)
      if refusal == nil {
        #expect(try await run.result.get().hasSuffix("received 1"), "buffered for the next one")
      } else {
        #expect(refusal == .questionClosed)
        try await run.answer("!")
        #expect(try await run.result.get().hasPrefix("received 1, answered !"))
      }
    }
  }

  @Test("a refused commit leaves both open, and either may still win")
  func refusedCommit() async throws {
    let hook = CommitHook()
    let run = hook.launch(Flow("f") { step() })
    let question = try #require(try await run.coordinator.settled().questions.first)
    hook.fail { $0.position.questions.isEmpty && $0.position.waits.isEmpty }
    await #expect(throws: Failure("commit")) { try await run.coordinator.answer(question.id, with: "yes") }
    await #expect(throws: Failure("commit")) { try await run.coordinator.send("1", to: results) }
    hook.relax()
    let position = try await run.coordinator.settled()
    #expect(position.waits.count == 1 && position.questions.map(\.id) == [question.id])
    try await run.coordinator.send("1 paid", to: results)
    #expect(try await run.result.get() == "received 1 paid")
  }

  @Test("outside a flow it throws notInFlow, and after the visit notActive")
  func outside() async throws {
    let standalone = StepContext.standalone
    #expect(await code { try await standalone.first(of: Form(text: ""), or: results) } == .notInFlow)
    #expect(await code { try await standalone.first(of: Form(text: ""), or: results, within: .zero) } == .notInFlow)
    #expect(await code { try await standalone.wait(for: results, matching: { _ in true }) } == .notInFlow)
    let kept = Lock<StepContext?>(nil)
    let run = launch(
      Flow("f") {
        Step<String, String>.scripted("a") { input, context in
          kept.withLock { $0 = context }
          return input
        }
      }, with: "-")
    _ = await run.result
    let context = try #require(kept.withLock { $0 })
    #expect(await code { try await context.first(of: Form(text: ""), or: results) } == .notActive)
  }

  @Test("a replay returns the same, and both come back as they were", arguments: ["answer", "signal", "time"])
  func replayed(_ ending: String) async throws {
    let clock = ManualClock()
    let step = Step<String, String>.scripted("a") { [trace] _, context in
      let first = try await context.first(of: Form(text: "1"), or: results, within: .seconds(60)).text
      trace.add(first)
      let answer = try await context.ask(Form(text: "2"))
      let second = try await context.first(of: Form(text: "3"), key: "third", or: results).text
      return "\(answer) \(second)"
    }
    try await testFlow(
      Flow("f") { step }, with: "-", exhaustivity: .partial, passivating: .everyQuestion, clock: clock
    ) { tester in
      let coordinator = tester.coordinator
      try await coordinator.settled()
      switch ending {
      case "answer": try await coordinator.answer(Form.self, with: "yes")
      case "signal": try await coordinator.send("1", to: results)
      default:
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
      }
      _ = await event(ending == "signal" ? "withdrawn" : "stoppedWaiting a bank.result", of: coordinator)
      try await coordinator.settled()
      try await coordinator.answer(Form.self, with: "two")
      try await coordinator.settled()
      try await coordinator.send("3", to: results)
      #expect(try await tester.finish() == "two received 3")
    }
    #expect(Set(trace.all).count == 1 && trace.all.count > 1)
  }
}

extension First where Answer == Reply<String>, Value == String {
  fileprivate var text: String {
    switch self {
    case .answered(let reply):
      "answered \(reply.answer) by \(reply.by?.id ?? "-"), revision \(reply.revision) of "
        + reply.question.debugDescription
    case .received(let value): "received \(value)"
    }
  }
}

extension Optional<First<Reply<String>, String>> {
  fileprivate var text: String {
    switch self {
    case .some(let first): first.text
    case nil: "late"
    }
  }
}
