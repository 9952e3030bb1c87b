import ActorFlow
import ActorFlowTesting
import Testing

/// Requests while the flow compensates a scope, or leaves one branch of several.
@Suite("While unwinding") struct WhileUnwindingTests {
  private let trace = Trace()
  private let compensating = Checkpoint()

  private func asker(_ name: String) -> Step<String, String> { Step(name) { [trace] in Asker(trace) } }

  /// Fails the first time, and waits at the checkpoint during its `backUp`.
  private func failing(_ name: String) -> Step<String, String> {
    let (trace, compensating, count) = (trace, compensating, Count())
    return .scripted(name) { _ in
      trace.add("\(name):backUp")
      await compensating.pass()
    } proceed: { input, _ in
      if count.next() == 1 { throw Failure(name) }
      return input + name
    }
  }

  /// `c` has failed and is being compensated; then the recovery around `b` and `c` would run.
  private func unwinding() async throws -> Launched<String> {
    let trace = trace
    let flow = Flow {
      asker("a")
      Flow {
        asker("b")
        failing("c")
      }.recover { error in
        trace.add("recover \(error)")
        return "r"
      }
    }
    let run = launch(flow, with: "-")
    try await run.answer("1")
    try await run.answer("2")
    await compensating.reached()
    return run
  }

  @Test("a back replaces the scope's target: it lands where it would have from the failed step")
  func back() async throws {
    let run = try await unwinding()
    let back = await run.filing { try await $0.backUp() }
    #expect(await code { try await run.coordinator.backUp() } == .moving)
    compensating.open()
    try await back.value
    try await run.answer("3")
    #expect(try await run.result.get() == "-13c")
    #expect(trace.all == ["a:proceed(-)", "b:proceed(-1)", "c:backUp", "b:backUp", "b:proceed(-1)"])
    let lines = await run.lines
    let caught = try #require(lines.firstIndex(of: "caught c recover"))
    #expect(lines[(caught + 1)...].prefix(2) == ["leaving c back", "backedUp c→b 0"])
  }

  @Test("the status names the beginning of the leave of a scope, or of a decided race")
  func since() async throws {
    let (compensating, clock) = (compensating, ManualClock())
    let held = Step<String, String>.scripted("held") { _ in
      await compensating.pass()
    } proceed: { input, context in
      input + (try await context.ask(Form(text: input)))
    }
    let flow = Flow {
      Flow {
        asker("b")
        failing("c")
      }.recover { _ in "r" }
      Race {
        asker("d")
        held
      }
    }
    let run = launch(flow, with: "-", on: FlowCoordinator(id: "test", clock: clock))
    _ = try await run.coordinator.settled()
    clock.advance(by: .seconds(5))
    try await run.answer("1")
    await compensating.reached()
    #expect(await since(run.coordinator) == .seconds(5))
    compensating.openOnce()
    _ = try await run.coordinator.settled()
    clock.advance(by: .seconds(2))
    try await run.coordinator.answer("2", at: "d")
    await compensating.reached(2)
    #expect(await since(run.coordinator) == .seconds(7))
    compensating.open()
    #expect(try await run.result.get() == "r2")
  }

  private func since(_ coordinator: FlowCoordinator) async -> Duration? {
    if case .leaving(_, let since) = await coordinator.position.status { since } else { nil }
  }

  @Test("an abandon and a cancelled caller replace the scope's target as well", arguments: [true, false])
  func ending(isAbandon: Bool) async throws {
    let run = try await unwinding()
    if isAbandon {
      let abandon = await run.filing { try await $0.abandon(reason: "enough") }
      compensating.open()
      try await abandon.value
      #expect(await run.code == .abandoned)
    } else {
      run.run.cancel()
      compensating.open()
      #expect(await run.error is CancellationError)
    }
    #expect(trace.all.suffix(3) == ["c:backUp", "b:backUp", "a:backUp"])
    let lines = await run.lines
    #expect(
      lines.suffix(3)
        == (isAbandon
          ? ["leaving c abandoned", "abandoned enough", "rolledBack 0"]
          : ["leaving c cancelled", "cancelled", "rolledBack 0"]))
  }

  @Test("while one branch backs up the others continue; another back of that branch is refused")
  func otherBranches() async throws {
    let (trace, compensating) = (trace, compensating)
    let flow = Flow {
      Parallel {
        Flow("b") {
          asker("b1")
          Step.scripted("b2") { _ in
            trace.add("b2:backUp")
            await compensating.pass()
          } proceed: { input, context in
            input + (try await context.ask(Form(text: input)))
          }
        }
        Flow("c") {
          asker("c1")
          asker("c2")
        }
      } join: {
        $0 + $1
      }
    }
    let run = launch(flow, with: "-")
    let coordinator = run.coordinator
    try await coordinator.answer("1", at: "b1")
    let left = try #require(try await coordinator.settled().questions.first { $0.step.name == "b2" })
    let other = try #require(try await coordinator.settled().questions.first { $0.step.name == "c1" })
    let back = await run.filing { try await $0.backUp(from: left.id) }
    await compensating.reached()
    #expect(await coordinator.position.status.word == "leaving b2")
    #expect(await code { try await coordinator.backUp(from: left.id) } == .questionClosed)
    #expect(await code { try await coordinator.backUp(to: "b1") } == .moving)
    #expect(await code { try await coordinator.answer(left.id, with: "x") } == .questionClosed)
    try await coordinator.answer(other.id, with: "2")
    let asked = await event("asked c2", of: coordinator)
    #expect(asked?.position.questions.map(\.step.name) == ["c2"])
    compensating.open()
    try await back.value
    for (step, answer) in [("b1", "3"), ("b2", "4"), ("c2", "5")] { try await coordinator.answer(answer, at: step) }
    #expect(try await run.result.get() == "-34-25")
  }

  @Test("a decided race compensates its losers before the flow continues; a back meanwhile leaves the race as a whole")
  func decidedRace() async throws {
    let (trace, compensating) = (trace, compensating)
    let flow = Flow {
      asker("a")
      Race {
        asker("b")
        Step.scripted("c") { _ in
          trace.add("c:backUp")
          await compensating.pass()
        } proceed: { input, context in
          input + (try await context.ask(Form(text: input)))
        }
      }
      asker("d")
    }
    let run = launch(flow, with: "-")
    try await run.answer("1")
    try await run.coordinator.answer("2", at: "b")
    await compensating.reached()
    let back = await run.filing { try await $0.backUp() }
    compensating.open()
    try await back.value
    #expect(try await run.coordinator.settled().step == "a")
    #expect(trace.all.filter { $0.hasSuffix("backUp") } == ["c:backUp", "b:backUp", "a:backUp"])
    #expect(!trace.all.contains { $0.hasPrefix("d:") })
    try await run.coordinator.abandon()
    #expect(await run.lines.contains("leaving race back"))
  }
}
