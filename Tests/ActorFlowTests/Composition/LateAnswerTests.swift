import ActorFlow
import ActorFlowTesting
import Testing

private let go = Signal<String>("go")

/// Answers and signals after their time, before the flow's timer has fired.
@Suite("Answers and signals that arrive too late") struct LateAnswerTests {
  private let clock = LateClock()
  private let trace = Trace()

  private func coordinator() -> FlowCoordinator { FlowCoordinator(id: "test", clock: clock, eventLog: 1_000) }

  private func asker(_ name: String) -> Step<String, String> { Step(name) { Asker(trace) } }

  @Test("an answer after the idle time is refused, and the flow expires")
  func idle() async throws {
    let run = launch(Flow("f") { asker("a") }.expires(afterIdle: .seconds(10)), with: "-", on: coordinator())
    let question = try #require(try await run.coordinator.settled().questions.first)
    clock.advance(by: .seconds(10))
    #expect(await code { try await run.coordinator.answer(question.id, with: "late") } == .questionClosed)
    #expect(await code { try await run.coordinator.answer(Form.self, with: "later") } == .questionClosed)
    clock.wake()
    #expect(await run.code == .abandoned)
    #expect(trace.all == ["a:proceed(-)", "a:backUp"])
  }

  @Test("an answer just before the end is accepted, and restarts the idle time")
  func inTime() async throws {
    let flow = Flow("f") {
      asker("a")
      asker("b")
    }.expires(afterIdle: .seconds(10))
    let run = launch(flow, with: "-", on: coordinator())
    _ = try await run.coordinator.settled()
    clock.advance(by: .nanoseconds(9_999_999_999))
    try await run.answer("1")
    _ = try await run.coordinator.settled()
    clock.advance(by: .nanoseconds(9_999_999_999))
    try await run.answer("2")
    clock.wake()
    #expect(try await run.result.get() == "-12")
  }

  @Test("an action after the idle time is refused, and the flow expires", arguments: [true, false])
  func action(_ changes: Bool) async throws {
    let flow = launch(
      Flow<String, String>.board().expires(afterIdle: .seconds(10)), with: "", on: coordinator())
    _ = try await flow.coordinator.settled()
    try await flow.act(.add("x"))
    clock.advance(by: .seconds(10))
    #expect(await code { try await flow.act(changes ? .add("y") : .out("z")) } == .questionClosed)
    #expect(await flow.board?.line == "x")
    clock.wake()
    #expect(await flow.code == .abandoned)
  }

  @Test("an answer after the time of its question is refused, and the asker gets nil")
  func deadline() async throws {
    let step = Step<String, String>.scripted("a") { _, context in
      try await context.ask(Form(text: "?"), within: .seconds(10)) ?? "none"
    }
    let run = launch(Flow("f") { step }, with: "-", on: coordinator())
    _ = try await run.coordinator.settled()
    clock.advance(by: .seconds(10))
    #expect(await code { try await run.coordinator.answer(Form.self, with: "late") } == .questionClosed)
    clock.wake()
    #expect(try await run.result.get() == "none")
  }

  @Test("an answer after a timeout is refused, also inside a fork that the timeout stands around")
  func timeout() async throws {
    let flow = Flow("f") {
      Parallel {
        asker("a")
        asker("b")
      } join: {
        $0 + $1
      }.timeout(.seconds(10)).recover { _ in "late" }
    }
    let run = launch(flow, with: "-", on: coordinator())
    let questions = try await run.coordinator.settled().questions
    try await run.coordinator.answer(questions[0].id, with: "1")
    clock.advance(by: .seconds(10))
    #expect(await code { try await run.coordinator.answer(questions[1].id, with: "2") } == .questionClosed)
    clock.wake()
    #expect(try await run.result.get() == "late")
  }

  @Test("a timeout in one branch is no reason to refuse an answer in another")
  func otherBranch() async throws {
    let flow = Flow("f") {
      Parallel {
        asker("a").timeout(.seconds(10)).recover { _ in "late" }
        asker("b")
      } join: {
        $0 + $1
      }
    }
    let run = launch(flow, with: "-", on: coordinator())
    // Either branch may have asked first.
    let questions = try await run.coordinator.settled().questions
    let late = try #require(questions.first { $0.step == "f/parallel/a" })
    let other = try #require(questions.first { $0.step == "f/parallel/b" })
    clock.advance(by: .seconds(10))
    #expect(await code { try await run.coordinator.answer(late.id, with: "1") } == .questionClosed)
    try await run.coordinator.answer(other.id, with: "2")
    clock.wake()
    #expect(try await run.result.get() == "late-2")
  }

  @Test("an idle time in a branch ends the flow, so an answer in another branch is too late as well")
  func idleBranch() async throws {
    let flow = Flow("f") {
      Parallel {
        asker("a").expires(afterIdle: .seconds(10))
        asker("b")
      } join: {
        $0 + $1
      }
    }
    let run = launch(flow, with: "-", on: coordinator())
    let questions = try await run.coordinator.settled().questions
    clock.advance(by: .seconds(10))
    for question in questions {
      #expect(await code { try await run.coordinator.answer(question.id, with: "!") } == .questionClosed)
    }
    clock.wake()
    #expect(await run.code == .abandoned)
  }

  @Test("a signal after the end of a wait is buffered for the next one")
  func signal() async throws {
    let step = Step<String, String>.scripted("a") { _, context in
      let first = try await context.wait(for: go, within: .seconds(10)) ?? "none"
      return "\(first) \(try await context.wait(for: go))"
    }
    let run = launch(Flow("f") { step }, with: "-", on: coordinator())
    _ = try await run.coordinator.settled()
    clock.advance(by: .seconds(10))
    #expect(try await run.coordinator.send("late", to: go) == .accepted)
    clock.wake()
    #expect(try await run.result.get() == "none late")
  }

  @Test("the sender of a signal after the idle time is told that the flow has ended, and the flow expires")
  func idleSignal() async throws {
    let step = Step<String, String>.scripted("a") { _, context in try await context.wait(for: go) }
    let run = launch(Flow("f") { step }.expires(afterIdle: .seconds(10)), with: "-", on: coordinator())
    _ = try await run.coordinator.settled()
    clock.advance(by: .seconds(10))
    #expect(try await run.coordinator.send("late", to: go) == .flowEnded)
    clock.wake()
    #expect(await run.code == .abandoned)
    #expect(await !run.lines.contains { $0.hasPrefix("received") })
  }

  @Test("a signal skips a wait that is over and reaches the next one")
  func nextInLine() async throws {
    let first = Step<String, String>.scripted("a") { _, context in
      try await context.wait(for: go, within: .seconds(10)) ?? "none"
    }
    let second = Step<String, String>.scripted("b") { _, context in try await context.wait(for: go) }
    let flow = Flow("f") {
      Parallel {
        first
        Flow<String, String>("x") {
          asker("c")
          second
        }
      } join: {
        "\($0) \($1)"
      }
    }
    let run = launch(flow, with: "-", on: coordinator())
    try await run.answer("!")
    #expect(try await run.coordinator.settled().waits.count == 2)
    clock.advance(by: .seconds(10))
    try await run.coordinator.send("late", to: go)
    clock.wake()
    #expect(try await run.result.get() == "none late")
  }
}
