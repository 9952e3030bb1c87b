import ActorFlow
import Testing

/// Rendered steps where every decision is committed first.
@Suite("Rendered steps: commit before announce") struct RenderedCommitTests {
  private func launch(_ script: BoardScript = BoardScript(), on hook: CommitHook) -> Launched<String> {
    hook.launch(.board(script))
  }

  private func revision(of machine: FlowMachine) -> Int { machine.position.questions.first?.revision ?? 0 }

  @Test("actions that arrive during a commit wait for it, in order")
  func inOrder() async throws {
    let hook = CommitHook()
    let flow = launch(on: hook)
    let id = try #require(try await flow.coordinator.settled().questions.first?.id)
    let sink = try #require(await flow.board?.sink)
    hook.hold { $0.position.questions.first?.revision == 2 }
    async let first: Void = flow.coordinator.answer(id, with: BoardAction.add("1"))
    await hook.held.reached()
    async let second = sink(.add("2"))
    #expect(await flow.board?.line == "")
    hook.relax()
    try await first
    #expect(await second)
    #expect(await flow.board?.line == "12")
    try await flow.act(.out("x"))
    #expect(try await flow.result.get() == "x")
  }

  @Test("an answer whose commit fails is refused, and nothing has changed")
  func refused() async throws {
    let (hook, trace, started) = (CommitHook(), Trace(), Checkpoint())
    let script = BoardScript(trace) { key, _ in
      trace.add("start \(key)")
      started.mark()
      await untilCancelled()
      trace.add("end \(key)")
    }
    let flow = launch(script, on: hook)
    try await flow.act(.add("x"), .run("a"), .open("c"))
    await started.reached()
    let child = try #require(await flow.board?.children.first?.sink)
    #expect(await child(.add("y")))
    hook.fail { $0.position.questions.first?.revision == 6 }
    for action in [
      BoardAction.add("z"), .all([.stop("a"), .run("b"), .close("c"), .open("d")]), .all([.add("!"), .out("")]),
    ] {
      await #expect(throws: Failure("commit")) { try await flow.act(action) }
      #expect(await flow.board?.line == "x(y)")
      #expect(await flow.coordinator.position.questions.first?.revision == 5)
    }
    hook.relax()
    #expect(await child(.add("z")))
    #expect(await flow.board?.line == "x(yz)")
    try await flow.act(.stop("a"), .out("x"))
    #expect(try await flow.result.get() == "x")
    #expect(trace.all == ["start a", "end a"])
  }

  @Test("an effect's action whose commit fails fails the step")
  func effectFails() async throws {
    let (hook, gate, trace) = (CommitHook(), Checkpoint(), Trace())
    let script = BoardScript(trace, first: BoardState(effects: ["a"])) { _, sink in
      await gate.pass()
      trace.add("\(await sink(.add("x")))")
    }
    let flow = launch(script, on: hook)
    _ = try await flow.coordinator.settled()
    hook.fail { $0.position.questions.first?.revision == 2 }
    gate.open()
    #expect(await flow.error as? Failure == Failure("commit"))
    #expect(trace.all == ["false"])
  }

  @Test("a rendering that is left while it is committed is not shown, and its sender is refused")
  func leftMeanwhile() async throws {
    let hook = CommitHook()
    let flow = launch(on: hook)
    let id = try #require(try await flow.coordinator.settled().questions.first?.id)
    hook.hold { $0.position.questions.first?.revision == 2 }
    async let first: Void = flow.coordinator.answer(id, with: BoardAction.add("1"))
    await hook.held.reached()
    flow.run.cancel()
    hook.relax()
    try await first
    #expect(await code { try await flow.coordinator.answer(id, with: BoardAction.add("2")) } != nil)
    #expect(await flow.error is CancellationError)
  }
}
