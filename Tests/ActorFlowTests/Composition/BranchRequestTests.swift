import ActorFlow
import ActorFlowTesting
import Testing

@Suite("Requests while branches run") struct BranchRequestTests {
  private let trace = Trace()

  private func asker(_ name: String) -> Step<String, String> { Step(name) { Asker(trace) } }

  private func slow(_ name: String, _ hold: Checkpoint) -> Step<String, String> {
    .scripted(
      name,
      backUp: { [trace] _ in
        trace.add("\(name):backUp")
        await hold.pass()
      }
    ) { input, context in input + (try await context.ask(Form(text: name))) }
  }

  private func two(_ name: String, _ hold: Checkpoint) -> Flow<String, String> {
    Flow(name) {
      asker(name + "1")
      slow(name + "2", hold)
    }
  }

  private func open(_ name: String, _ run: Launched<String>) async throws -> Question.ID {
    try #require(try await run.coordinator.settled().questions.first { $0.step.name == name }).id
  }

  @Test("a race decided while a branch backs up: the back never lands, and its caller is told")
  func decidedWhileBackingUp() async throws {
    let hold = Checkpoint()
    let run = launch(
      Flow("f") {
        Race {
          two("x", hold)
          asker("y")
        }
      }, with: "-")
    try await run.coordinator.answer(open("x1", run), with: "1")
    let winner = try await open("y", run)
    let question = try await open("x2", run)
    let back = await run.filing { try await $0.backUp(from: question) }
    await hold.reached()
    try await run.coordinator.answer(winner, with: "won")
    _ = await event("leaving race superseded", of: run.coordinator)
    hold.open()
    let told = try #require(await error(of: back) as? FlowError)
    #expect(told.code == .ending && told.message.contains("its fork was decided"))
    #expect(try await run.result.get() == "-won")
    #expect(trace.all.filter { $0.hasSuffix("backUp") } == ["x2:backUp", "x1:backUp"])
  }

  @Test("a failing branch while another backs up: leaving superseded, failed, rolledBack, and the waiter is told")
  func failsWhileBackingUp() async throws {
    let hold = Checkpoint()
    let flow = Flow("f") {
      Parallel {
        two("x", hold)
        Step<String, String>.scripted("y") { _, context in
          _ = try await context.ask(Form(text: "y"))
          throw Failure("y")
        }
      } join: {
        $0 + $1
      }
    }
    let run = launch(flow, with: "-")
    try await run.coordinator.answer(open("x1", run), with: "1")
    let failing = try await open("y", run)
    let question = try await open("x2", run)
    let back = await run.filing { try await $0.backUp(from: question) }
    await hold.reached()
    try await run.coordinator.answer(failing, with: "!")
    _ = await event("leaving parallel superseded", of: run.coordinator)
    hold.open()
    #expect(await error(of: back) is FlowError)
    #expect(await run.error as? Failure == Failure("y"))
    #expect(await run.lines.suffix(3) == ["leaving parallel superseded", "failed y", "rolledBack 0"])
    #expect(trace.all.filter { $0.hasSuffix("backUp") } == ["x2:backUp", "x1:backUp"])
  }

  @Test("an abandon while a branch backs up waits for its backUp, and calls none twice")
  func abandonWhileBackingUp() async throws {
    let hold = Checkpoint()
    let run = launch(
      Flow("f") {
        Parallel {
          two("x", hold)
          asker("y")
        } join: {
          $0 + $1
        }
      }, with: "-")
    try await run.coordinator.answer(open("x1", run), with: "1")
    let question = try await open("x2", run)
    let back = await run.filing { try await $0.backUp(from: question) }
    await hold.reached()
    let abandon = await run.filing { try await $0.abandon(reason: "enough") }
    hold.open()
    try await abandon.value
    #expect((await error(of: back) as? FlowError)?.code == .ending)
    #expect(await run.code == .abandoned)
    // The order in which the two were entered is undefined.
    let undone = trace.all.filter { $0.hasSuffix("backUp") }
    #expect(undone.first == "x2:backUp" && undone.sorted() == ["x1:backUp", "x2:backUp", "y:backUp"])
  }

  @Test("the caller is cancelled while branches run: all steps return, all are compensated, nothing is left")
  func cancelled() async throws {
    let clock = ManualClock()
    let flow = Flow("f") {
      ForEach({ (_: String) in ["1", "2", "3"] }) {
        asker("ask").timeout(.seconds(60))
      }.map { $0.joined() }
    }
    let run = launch(flow, with: "-", on: FlowCoordinator(id: "test", clock: clock))
    #expect(try await run.coordinator.settled().questions.count == 3)
    try await clock.waitForSleepers(1)
    run.run.cancel()
    #expect(await run.error is CancellationError)
    #expect(trace.all.filter { $0 == "ask:backUp" }.count == 3 && clock.sleepers == 0)
    #expect(await run.lines.suffix(3) == ["leaving each cancelled", "cancelled", "rolledBack 0"])
  }

  @Test("settled() after the answer that decides a race does not return with the loser's question")
  func settledAfterDecision() async throws {
    for _ in 1...100 {
      let run = launch(
        Flow("f") {
          Race {
            asker("x")
            asker("y")
          }
          asker("z")
        }, with: "-")
      try await run.coordinator.answer(open("x", run), with: "1")
      #expect(try await run.coordinator.settled().questions.map(\.step.name) == ["z"])
      try await run.coordinator.abandon()
    }
  }

  @Test("context.backUp() and context.abandon() from the step of a branch")
  func fromInside() async throws {
    let again = Count()
    let step = Step<String, String>.scripted("y") { _, context in
      if again.next() == 1 { try await context.backUp() }
      try await context.abandon("from inside")
    }
    let flow = Flow("f") {
      asker("a")
      Parallel {
        asker("x")
        step
      } join: {
        $0 + $1
      }
    }
    let run = launch(flow, with: "-")
    try await run.answer("1")
    _ = await event("backedUp parallel→a 0", of: run.coordinator)
    try await run.answer("2")
    #expect(await run.code == .abandoned)
    #expect(trace.all.filter { $0 == "a:backUp" }.count == 2)
  }
}
