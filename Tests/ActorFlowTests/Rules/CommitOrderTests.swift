@testable import ActorFlow
import Testing

@Suite("Commit before announce") struct CommitOrderTests {
  private func flow(_ trace: Trace = Trace()) -> Flow<String, String> {
    Flow {
      Step("a") { Asker(trace) }
      Step("b") { Asker(trace) }
    }
  }

  @Test("every observable change is committed first, in order")
  func everyChange() async throws {
    let hook = CommitHook()
    let flow = hook.launch(flow())
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.abandon(reason: "why")
    _ = await flow.result
    var committed = hook.trace.all
    for position in await flow.events.map(\.position.line) {
      let index = committed.firstIndex(of: position)
      #expect(index != nil, "\(position) was announced without a commit")
      if let index { committed.removeFirst(index + 1) }
    }
  }

  @Test("during a commit the observable position is the one before it, and no event is published")
  func before() async throws {
    let hook = CommitHook()
    hook.hold { $0.position.line == "running a?" }
    let flow = hook.launch(flow())
    await hook.held.reached()
    #expect(await flow.coordinator.position.line == "running a")
    #expect(await flow.events(upTo: 2).map(\.change.line) == ["launched", "moved -→a"])
    #expect(await code { try await flow.coordinator.answer(Form.self, with: "x") } == .noSuchQuestion)
    hook.relax()
    #expect(try await flow.coordinator.settled().line == "running a?")
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("inside the hook the coordinator shows the last committed position")
  func insideHook() async throws {
    let (handed, seen) = (Handover<FlowCoordinator>(), Trace())
    var settings = CoordinatorSettings()
    settings.commit = { machine in
      guard let coordinator = await handed.value() else { return }
      seen.add("\(await coordinator.position.line) → \(machine.position.line)")
    }
    let coordinator = FlowCoordinator(id: "test", settings: settings)
    handed.give(coordinator)
    _ = try await coordinator.run(Flow { Step("a") { Automatic() } }, with: "")
    handed.clear()
    #expect(seen.all.first == "idle  → running ")
    #expect(seen.all.contains("running  → running a"))
    #expect(seen.all.contains("running a → ended finished a"))
  }

  @Test("inputs that arrive during a commit wait, and are decided in order")
  func order() async throws {
    let hook = CommitHook()
    let flow = hook.launch(flow())
    try await flow.answer("1")
    let question = try #require(try await flow.coordinator.settled().questions.first)
    hook.hold { $0.phase == .leaving }
    let backing = await flow.filing { try await $0.backUp() }
    await hook.held.reached()
    let abandoning = await flow.filing { try await $0.abandon(reason: "second") }
    let answering = Task { try await flow.coordinator.answer(question.id, with: "late") }
    #expect(await flow.coordinator.position.status == .running)
    hook.relax()
    #expect((await error(of: backing) as? FlowError)?.code == .ending)
    #expect(await error(of: abandoning) == nil)
    #expect([.questionClosed, .flowEnded].contains((await error(of: answering) as? FlowError)?.code))
    #expect(
      await flow.lines.suffix(4) == ["leaving b back", "leaving b abandoned", "abandoned second", "rolledBack 0"])
  }

  @Test("if the step is left during the commit of an answer, the answer is accepted first, then the leave")
  func leaveDuringAnswer() async throws {
    let hook = CommitHook()
    let flow = hook.launch(flow())
    try await flow.answer("1")
    let question = try #require(try await flow.coordinator.settled().questions.first)
    let number = await flow.events(upTo: 6).count
    hook.hold { $0.sequence == number + 1 }
    let answering = Task { try await flow.coordinator.answer(question.id, with: "2") }
    await hook.held.reached()
    flow.run.cancel()
    hook.relax()
    try await answering.value
    #expect(await flow.error is CancellationError)
    #expect(await flow.lines.suffix(4) == ["answered", "leaving b cancelled", "cancelled", "rolledBack 0"])
  }

  @Test("a caller's cancellation during a commit is not lost")
  func cancelDuringCommit() async throws {
    let hook = CommitHook()
    hook.hold { $0.position.line == "running a" }
    let trace = Trace()
    let flow = hook.launch(flow(trace))
    await hook.held.reached()
    flow.run.cancel()
    #expect(await flow.coordinator.position.line == "running ")
    hook.relax()
    #expect(await flow.error is CancellationError)
    #expect(await flow.lines == ["launched", "moved -→a", "leaving a cancelled", "cancelled", "rolledBack 0"])
    #expect(trace.all.isEmpty)
  }

  @Test("context.backUp and context.abandon during a commit are not lost", arguments: ["backUp", "abandon"])
  func insideDuringCommit(verb: String) async throws {
    let hook = CommitHook()
    let (asked, handed) = (Checkpoint(), Handover<Task<String, any Error>>())
    let flow = hook.launch(
      Flow {
        Step("a") { Asker() }
        Step.scripted("b") { _, context in
          handed.give(Task { try await context.ask(Form(text: "b")) })
          await hook.held.reached()
          asked.mark()
          if verb == "backUp" { try await context.backUp() }
          try await context.abandon("inside")
        }
      })
    hook.hold { $0.position.line == "running ab?" }
    try await flow.answer("1")
    await asked.reached()
    hook.relax()
    if verb == "abandon" {
      #expect(await flow.code == .abandoned)
      #expect(await flow.lines.suffix(4) == ["asked b", "leaving b abandoned", "abandoned inside", "rolledBack 0"])
    } else {
      let event = await event("backedUp b→a 0", of: flow.coordinator)
      #expect(
        await flow.events(upTo: event?.sequence ?? 0).suffix(3).map(\.change.line) == [
          "asked b", "leaving b back", "backedUp b→a 0",
        ])
      flow.run.cancel()
      _ = await flow.result
    }
    #expect(await handed.value()?.result.isCancellation == true)
  }

  @Test("context.backUp during a commit waits for it, and is then refused if there is no target")
  func refusedDuringCommit() async throws {
    let hook = CommitHook()
    let trace = Trace()
    hook.hold { $0.position.line == "running a?" }
    let flow = hook.launch(
      Flow {
        Step.scripted("a") { _, context in
          async let answer = context.ask(Form(text: "a"))
          await hook.held.reached()
          trace.add("\(await code { try await context.backUp() }?.description ?? "-")")
          return try await answer
        }
      })
    await hook.held.reached()
    while flow.coordinator.order.queueLength == 0 { await Task.yield() }
    #expect(trace.all.isEmpty)
    hook.relax()
    try await flow.answer("1")
    #expect(try await flow.result.get() == "1")
    #expect(trace.all == ["cannotBackUp"])
  }

  @Test("a place whose landing was left before its proceed began is not compensated, whatever is being committed")
  func leftOnLandingDuringCommit() async throws {
    let (hook, trace) = (CommitHook(), Trace())
    let flow = hook.launch(flow(trace))
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    hook.hold { $0.phase == .walking && trace.all.last == "a:backUp" }
    let backing = await flow.filing { try await $0.backUp() }
    await hook.held.reached()
    // Behind the landing's commit: first the cancellation, then an abandon whose commit is held up as well.
    flow.run.cancel()
    let abandoning = await flow.filing { try await $0.abandon() }
    hook.hold { $0.phase == .leaving }
    hook.held.openOnce()
    await hook.held.reached(2)
    // The walk was told to end; the yields let it do so before this commit is done.
    for _ in 1...1_000 { await Task.yield() }
    hook.relax()
    _ = await (backing.result, abandoning.result)
    #expect(await flow.error is CancellationError)
    #expect(trace.all == ["a:proceed()", "b:proceed(1)", "b:backUp", "a:backUp"])
  }
}
