import ActorFlow
import Testing

@Suite("Rule 1: one visit, one task scope") struct Rule01ScopeTests {
  /// The three requests to leave a running step.
  enum Leave: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case back, abandon, cancel
    var testDescription: String { rawValue }

    func request<O>(of flow: Launched<O>) async {
      switch self {
      case .back: _ = await flow.filing { try await $0.backUp() }
      case .abandon: _ = await flow.filing { try await $0.abandon() }
      case .cancel:
        flow.run.cancel()
        _ = await flow.coordinator.position  // hears of the cancellation first
      }
    }
  }

  /// Ends a flow that may have landed on a step.
  private func end<O>(_ flow: Launched<O>) async {
    _ = try? await flow.coordinator.settled()
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("leaving cancels the step, and waits for it before anything else happens", arguments: Leave.allCases)
  func waits(leave: Leave) async throws {
    let (trace, stubborn) = (Trace(), Checkpoint())
    let flow = launch(
      Flow {
        Step("a") { Asker(trace) }
        Step.scripted("b", backUp: { _ in trace.add("b:backUp") }) { _, context in
          _ = try? await context.ask(Form(text: "b"))
          trace.add("b:cancelled \(Task.isCancelled)")
          await stubborn.pass()
          trace.add("b:back")
          return ""
        }
      }, with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    await leave.request(of: flow)
    await stubborn.reached()
    #expect(trace.all == ["a:proceed()", "b:cancelled true"])
    let position = await flow.coordinator.position
    #expect(position.status.word == "leaving b")
    #expect(position.step == "b")
    stubborn.open()
    await end(flow)
    #expect(trace.all.prefix(5) == ["a:proceed()", "b:cancelled true", "b:back", "b:backUp", "a:backUp"])
  }

  @Test("the status names the step being left, and the time of the request", arguments: Leave.allCases)
  func since(leave: Leave) async throws {
    let stubborn = Checkpoint()
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step.scripted("b") { _, context in
          _ = try? await context.ask(Form(text: "b"))
          await stubborn.pass()
          return ""
        }
      }, with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    flow.clock.advance(by: .seconds(5))
    await leave.request(of: flow)
    await stubborn.reached()
    let position = await flow.coordinator.position
    let visit = try #require(position.stack.top)
    #expect(position.status == .leaving(visit, since: .seconds(5)))
    stubborn.open()
    await end(flow)
  }

  @Test("a refused run does not reset the clock of the running one")
  func refusedRunKeepsClock() async throws {
    let flow = launch(Flow { Step("a") { Asker() } }, with: "")
    _ = try await flow.coordinator.settled()
    flow.clock.advance(by: .seconds(5))
    #expect(await code { try await flow.coordinator.run(Flow { Step("x") { Asker() } }, with: "") } == .alreadyRunning)
    flow.run.cancel()
    let event = await event("leaving a cancelled", of: flow.coordinator)
    let visit = try #require(event?.position.stack.top)
    #expect(event?.position.status == .leaving(visit, since: .seconds(5)))
    _ = await flow.result
  }

  @Test("the output of a step that was left is ignored", arguments: Leave.allCases)
  func returnsLate(leave: Leave) async throws {
    let reached = Trace()
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step.scripted("b") { _, context in (try? await context.ask(Form(text: "b"))) ?? "late" }
        Step("c") { Automatic(reached) }
      }, with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    await leave.request(of: flow)
    await end(flow)
    #expect(reached.all.isEmpty)
    #expect(!(await flow.lines.contains("finished")))
  }

  @Test("the error of a step that was left is ignored", arguments: Leave.allCases)
  func throwsLate(leave: Leave) async throws {
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step.scripted("b") { _, context in
          do { return try await context.ask(Form(text: "b")) } catch { throw Refused() }
        }
      }, with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    await leave.request(of: flow)
    await end(flow)
    #expect(!(await flow.error is Refused))
    #expect(!(await flow.lines.contains("failed b")))
  }

  @Test("the step's child tasks are cancelled and awaited with it", arguments: Leave.allCases)
  func children(leave: Leave) async throws {
    let (trace, stubborn) = (Trace(), Checkpoint())
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step.scripted("b", backUp: { _ in trace.add("backUp") }) { _, context in
          async let other: Void = {
            await stubborn.pass()
            trace.add("child \(Task.isCancelled)")
          }()
          let answer = try await context.ask(Form(text: "b"))
          await other
          return answer
        }
      }, with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    await stubborn.reached()
    await leave.request(of: flow)
    #expect(trace.all.isEmpty)
    stubborn.open()
    await end(flow)
    #expect(trace.all.prefix(2) == ["child true", "backUp"])
  }

  enum Local { @TaskLocal static var value = "outside" }

  @Test("every step, backUp and factory has the task-local values and the priority of the caller of run")
  func callersTask() async throws {
    let trace = Trace()
    @Sendable func look(_ name: String) { trace.add("\(name) \(Local.value) \(Task.currentPriority == .low)") }
    let coordinator = FlowCoordinator()
    let flow = Flow<String, String> {
      Step("a") {
        look("make")
        return ScriptedStep(backUp: { _ in look("backUp") }) { _, _ in
          look("proceed")
          throw Refused()
        }
      }
    }
    let run = Task(priority: .low) {
      try await Local.$value.withValue("caller") { _ = try await coordinator.run(flow, with: "") }
    }
    // Read through the events, so that no task waits for the run and raises its priority.
    for await _ in coordinator.events {}
    _ = await run.result
    #expect(trace.all.map { $0.prefix { $0 != " " } } == ["make", "proceed", "backUp"])
    #expect(trace.all.allSatisfy { $0.hasSuffix(" caller true") })
  }
}
