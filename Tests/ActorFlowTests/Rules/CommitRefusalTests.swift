import ActorFlow
import Testing

@Suite("A commit that fails refuses its input") struct CommitRefusalTests {
  private func flow(_ trace: Trace = Trace()) -> Flow<String, String> {
    Flow {
      Step("a") { Asker(trace) }
      Step("b") { Asker(trace) }
    }
  }

  @Test("an answer: the answerer gets the error, the question stays open, the next answer is accepted")
  func answer() async throws {
    let hook = CommitHook()
    let flow = hook.launch(flow())
    try await flow.answer("1")
    let question = try #require(try await flow.coordinator.settled().questions.first)
    hook.fail { $0.position.line == "running ab" }
    await #expect(throws: Failure("commit")) { try await flow.coordinator.answer(question.id, with: "2") }
    #expect(await flow.coordinator.position.questions.map(\.id) == [question.id])
    hook.relax()
    try await flow.coordinator.answer(question.id, with: "3")
    #expect(try await flow.result.get() == "13")
    #expect(await flow.lines.filter { $0 == "answered" }.count == 2)
  }

  @Test(
    "a request to leave: its caller gets the error, and the step was not even cancelled", arguments: [true, false])
  func leave(isBack: Bool) async throws {
    let (hook, trace) = (CommitHook(), Trace())
    let flow = hook.launch(flow(trace))
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    hook.fail { $0.phase == .leaving }
    await #expect(throws: Failure("commit")) {
      if isBack { try await flow.coordinator.backUp() } else { try await flow.coordinator.abandon() }
    }
    hook.relax()
    #expect(await flow.coordinator.position.line == "running ab?")
    try await flow.answer("2")
    #expect(try await flow.result.get() == "12")
    #expect(trace.all == ["a:proceed()", "b:proceed(1)"])
    let events = await flow.events
    #expect(events.map(\.sequence) == Array(1...events.count))
  }

  @Test("an ask: the step gets the error, no question is open, and it may ask again")
  func ask() async throws {
    let hook = CommitHook()
    hook.fail { $0.position.line == "running a?" }
    let flow = hook.launch(
      Flow {
        Step.scripted("a") { _, context in
          await #expect(throws: Failure("commit")) { try await context.ask(Form(text: "1")) }
          hook.relax()
          return try await context.ask(Form(text: "2"))
        }
      })
    let question = try #require(try await flow.coordinator.settled().questions.first)
    #expect(question.id.number == 1)
    try await flow.answer("x")
    #expect(try await flow.result.get() == "x")
  }

  @Test("an update: the step gets the error, and the question shows its former prompt")
  func update() async throws {
    let hook = CommitHook()
    let handed = Handover<StepContext>()
    let flow = hook.launch(
      Flow {
        Step.scripted("a") { _, context in
          handed.give(context)
          return try await context.ask(Form(text: "old"))
        }
      })
    _ = try await flow.coordinator.settled()
    let context = try #require(await handed.value())
    hook.fail { $0.position.questions.first?.revision == 2 }
    await #expect(throws: Failure("commit")) { try await context.update(Form(text: "new")) }
    #expect(await flow.coordinator.position.questions.first?.revision == 1)
    hook.relax()
    try await flow.answer("x")
    _ = await flow.result
  }

  @Test("the beginning of a once: the work does not run")
  func onceBegins() async throws {
    let (hook, count) = (CommitHook(), Count())
    hook.fail { $0.hasRunningWork(on: .main) }
    let flow = hook.launch(
      Flow {
        Step.scripted("a") { _, context in
          await #expect(throws: Failure("commit")) { try await context.once("k") { _ in count.next() } }
          #expect(await context.record("k", as: Int.self) == .none)
          hook.relax()
          return "\(try await context.once("k") { _ in count.next() })"
        }
      })
    #expect(try await flow.result.get() == "1")
  }

  @Test("the end of a once: the step gets the error; whether its effect is recorded is unknown")
  func onceEnds() async throws {
    let hook = CommitHook()
    let flow = hook.launch(
      Flow {
        Step.scripted("a") { _, context in
          let failures = Count()
          await #expect(throws: Failure("commit")) {
            try await context.once("k") { _ in
              hook.fail { !$0.hasRunningWork(on: .main) && failures.next() == 1 }
              return 17
            }
          }
          hook.relax()
          if case .interrupted = await context.record("k", as: Int.self) { return "interrupted" }
          return "-"
        }
      })
    #expect(try await flow.result.get() == "interrupted")
  }

  @Test("the end of a once that cannot be committed at all leaves no task waiting")
  func onceNeverEnds() async throws {
    let hook = CommitHook()
    let flow = hook.launch(
      Flow {
        Step.scripted("a") { _, context in
          await #expect(throws: Failure("commit")) {
            try await context.once("k") { _ in
              hook.fail { _ in true }
              return 17
            }
          }
          hook.relax()
          if case .interrupted = await context.record("k", as: Int.self) { return "interrupted" }
          return "-"
        }
      })
    #expect(try await flow.result.get() == "interrupted")
  }

  @Test("the launch: run throws the error, nothing has begun, and run may be called again")
  func launch() async throws {
    let hook = CommitHook()
    hook.fail { _ in true }
    let trace = Trace()
    let flow = hook.launch(flow(trace))
    #expect(await flow.error as? Failure == Failure("commit"))
    #expect(await flow.coordinator.position.status == .idle)
    #expect(trace.all.isEmpty)
    hook.relax()
    #expect(try await flow.coordinator.run(Flow { Step("x") { Automatic() } }, with: "") == "x")
    #expect(await flow.events.allSatisfy { $0.run == 1 })
  }
}
