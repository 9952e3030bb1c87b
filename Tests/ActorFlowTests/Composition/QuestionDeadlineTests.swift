import ActorFlow
import ActorFlowTesting
import Testing

@Suite("Questions with a deadline, and reminders") struct QuestionDeadlineTests {
  private let trace = Trace()
  private let clock = ManualClock()

  private func coordinator() -> FlowCoordinator { FlowCoordinator(id: "test", clock: clock) }

  /// Asks for this long, and makes the answer, or `none`.
  private func asking(_ name: String, within limit: Duration?, reminding: Reminding? = nil) -> Step<String, String> {
    .scripted(name, backUp: { [trace] _ in trace.add("\(name):backUp") }) { [trace] _, context in
      do {
        let answer = try await context.ask(Form(text: name), within: limit, reminding: reminding)
        trace.add("\(name):\(answer ?? "none")")
        return answer ?? "none"
      } catch {
        trace.add("\(name):\(error)")
        throw error
      }
    }
  }

  @Test("after the deadline the question is withdrawn, and the asker gets nil; no sleeper is left")
  func over() async throws {
    let run = launch(Flow("f") { asking("a", within: .seconds(10)) }, with: "-", on: coordinator())
    let question = try #require(try await run.coordinator.settled().questions.first)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    #expect(try await run.result.get() == "none")
    #expect(await run.lines == ["launched", "moved -→a", "asked a", "withdrawn", "finished"])
    #expect(await code { try await run.coordinator.answer(question.id, with: "late") } != nil)
    #expect(clock.sleepers == 0)
  }

  @Test("an answer in the same instant is either accepted and returned, or refused, and the asker gets nil")
  func sameInstant() async throws {
    for _ in 1...50 {
      let run = launch(Flow("f") { asking("a", within: .seconds(10)) }, with: "-", on: coordinator())
      let question = try #require(try await run.coordinator.settled().questions.first)
      try await clock.waitForSleepers(1)
      async let late = code { try await run.coordinator.answer(question.id, with: "yes") }
      clock.advance(by: .seconds(10))
      let (refused, made) = (await late, try await run.result.get())
      #expect((refused == nil) == (made == "yes"), "\(String(describing: refused)), \(made)")
    }
  }

  @Test("a deadline that never fires leaves no sleeper behind when the flow ends")
  func noSleeper() async throws {
    let run = launch(
      Flow("f") { asking("a", within: .seconds(10)).timeout(.seconds(60)).expires(afterIdle: .seconds(90)) }, with: "-",
      on: coordinator())
    _ = try await run.coordinator.settled()
    try await clock.waitForSleepers(1)
    try await run.answer("yes")
    #expect(try await run.result.get() == "yes")
    #expect(clock.sleepers == 0)
  }

  @Test("two branches with deadlines: one timer for both, and each branch gets its own nil")
  func branches() async throws {
    let flow = Flow("f") {
      Parallel {
        asking("a", within: .seconds(10))
        asking("b", within: .seconds(20))
      } join: {
        $0 + $1
      }
    }
    let run = launch(flow, with: "-", on: coordinator())
    let asked = try await run.coordinator.settled().questions
    let second = try #require(asked.first { $0.step == "f/parallel/b" })
    try await clock.waitForSleepers(1)
    #expect(clock.sleepers == 1)
    clock.advance(by: .seconds(10))
    _ = await event("withdrawn", of: run.coordinator)
    let left = try await run.coordinator.settled().questions
    #expect(left.map(\.id) == [second.id])
    try await clock.waitForSleepers(1)
    #expect(clock.sleepers == 1)
    clock.advance(by: .seconds(10))
    #expect(try await run.result.get() == "nonenone")
    #expect(clock.sleepers == 0)
  }

  private enum Marked {
    @TaskLocal static var name = ""
  }

  @Test("reminders run in the asker's task, numbered, at most this often")
  func reminders() async throws {
    let reached = Checkpoint()
    let step = Step<String, String>.scripted("a") { [trace] _, context in
      try await Marked.$name.withValue("asker") {
        try await context.ask(
          Form(text: ""), within: nil,
          reminding: .every(.seconds(5), max: 2) { number in
            trace.add("\(Marked.name) \(number)")
            reached.mark()
          }) ?? "none"
      }
    }
    let run = launch(Flow("f") { step }, with: "-", on: coordinator())
    _ = try await run.coordinator.settled()
    for number in 1...2 {
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(5))
      await reached.reached(number)
    }
    clock.advance(by: .seconds(50))
    try await run.answer("yes")
    #expect(try await run.result.get() == "yes")
    #expect(trace.all == ["asker 1", "asker 2"])
  }

  @Test("after a jump of the clock all due reminders run, one at a time; an answer drops the rest")
  func jump() async throws {
    for answers in [true, false] {
      let hold = Checkpoint()
      let step = asking(
        "a", within: nil,
        reminding: .every(.seconds(5), max: 9) { [trace] number in
          trace.add("begins \(number)")
          await hold.pass()
          trace.add("ends \(number)")
        })
      let run = launch(Flow("f") { step }, with: "-", on: coordinator())
      _ = try await run.coordinator.settled()
      try await clock.waitForSleepers(1)
      let before = trace.all.count
      clock.advance(by: .seconds(17))
      await hold.reached()
      try await clock.waitForSleepers(1)
      if answers { try await run.answer("yes") }
      hold.open()
      if !answers {
        await hold.reached(3)
        try await run.answer("yes")
      }
      #expect(try await run.result.get() == "yes")
      let ran = (1...(answers ? 1 : 3)).flatMap { ["begins \($0)", "ends \($0)"] }
      #expect(Array(trace.all[before...]) == ran + ["a:yes"])
    }
  }

  @Test("an answer during a reminder counts, and so does the deadline")
  func duringReminder() async throws {
    for answers in [true, false] {
      let hold = Checkpoint()
      let step = asking("a", within: .seconds(8), reminding: .every(.seconds(5), max: 9) { _ in await hold.pass() })
      let run = launch(Flow("f") { step }, with: "-", on: coordinator())
      _ = try await run.coordinator.settled()
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(5))
      await hold.reached()
      if answers {
        try await run.answer("yes")
      } else {
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3))
        _ = await event("withdrawn", of: run.coordinator)
      }
      hold.open()
      #expect(try await run.result.get() == (answers ? "yes" : "none"))
    }
  }

  @Test("a reminder that throws withdraws the question, and the error is thrown to the asker")
  func throwingReminder() async throws {
    let step = asking(
      "a", within: .seconds(100),
      reminding: .every(.seconds(5), max: 9) { number in
        throw Failure("reminder \(number)")
      })
    let run = launch(Flow("f") { step }, with: "-", on: coordinator())
    _ = try await run.coordinator.settled()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
    #expect(await run.error as? Failure == Failure("reminder 1"))
    #expect(await run.lines.suffix(3) == ["withdrawn", "failed a", "rolledBack 0"])
    #expect(clock.sleepers == 0)
  }

  @Test("a back closes the question with its deadline and reminders; the next visit has a new deadline")
  func backUp() async throws {
    let flow = Flow("f") {
      Step("first") { Asker(trace) }
      asking("a", within: .seconds(10))
    }
    let run = launch(flow, with: "-", on: coordinator())
    try await run.answer("1")
    _ = try await run.coordinator.settled()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(9))
    try await run.coordinator.backUp()
    #expect(trace.all.contains("a:CancellationError()"))
    try await run.answer("2")
    _ = try await run.coordinator.settled()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(9))
    #expect(try await run.coordinator.settled().questions.count == 1)
    try await run.answer("yes")
    #expect(try await run.result.get() == "yes")
  }

  @Test("a deadline is replayed: a question that was over stays over, and its time does not start again")
  func passivated() async throws {
    let step = Step<String, String>.scripted("a") { [trace] _, context in
      trace.add("begins")
      let first = try await context.ask(Form(text: "1"), within: .seconds(10))
      let second = try await context.ask(Form(text: "2"))
      trace.add("\(first ?? "none") \(second)")
      return second
    }
    try await testFlow(
      Flow("f") { step }, with: "-", exhaustivity: .partial, passivating: .everyQuestion, clock: clock
    ) { tester in
      _ = try await tester.question(Form.self)
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(10))
      try await tester.expect(.withdrawn)
      #expect(try await tester.answer(Form.self, with: "yes").prompt.text == "2")
      #expect(try await tester.finish() == "yes")
    }
    #expect(trace.all == ["begins", "begins", "none yes"])
  }
}
