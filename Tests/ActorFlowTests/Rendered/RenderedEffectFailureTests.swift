import ActorFlow
import Testing

@Suite("Rendered steps, rules 2 and 4: effects that fail") struct RenderedEffectFailureTests {
  @Test("an effect that throws fails the step, after all others have ended; its question is closed at once")
  func throwing() async throws {
    let (trace, started, gate) = (Trace(), Checkpoint(), Checkpoint())
    let script = BoardScript(first: BoardState(effects: ["a", "b"])) { key, _ in
      started.mark()
      if key == "b" {
        await gate.pass()
        throw Failure("b")
      }
      await untilCancelled()
      trace.add("end \(key)")
    }
    let flow = launch(.board(script), with: "")
    let id = try #require(try await flow.coordinator.settled().questions.first?.id)
    await started.reached(2)
    gate.open()
    #expect(await flow.error as? Failure == Failure("b"))
    #expect(trace.all == ["end a"])
    #expect(await code { try await flow.coordinator.answer(id, with: BoardAction.nothing) } == .flowEnded)
    #expect(await flow.lines.dropFirst(3) == ["withdrawn", "failed board", "rolledBack 0"])
  }

  @Test("an error thrown by a cancelled effect is ignored")
  func throwingWhenCancelled() async throws {
    let (started, ended) = (Checkpoint(), Checkpoint())
    let script = BoardScript { _, _ in
      started.mark()
      await untilCancelled()
      ended.mark()
      throw Failure("too late")
    }
    let flow = launch(.board(script), with: "")
    try await flow.act(.run("a"))
    await started.reached()
    try await flow.act(.stop("a"))
    await ended.reached()
    try await flow.act(.run("a"))
    await started.reached(2)
    try await flow.act(.out("x"))
    #expect(try await flow.result.get() == "x")
  }

  @Test("a key used twice in one render fails the step with an error that names both uses, also for the answerer")
  func duplicates() async throws {
    for action in [BoardAction.all([.run("a"), .run("a")]), .all([.open("c"), .open("c")])] {
      let flow = launch(.board(), with: "")
      let id = try #require(try await flow.coordinator.settled().questions.first?.id)
      let refusal = await #expect(throws: FlowError.self) { try await flow.coordinator.answer(id, with: action) }
      #expect(refusal?.code == .questionClosed)
      #expect((refusal?.underlying as? FlowError)?.code == .duplicateKey)
      let error = try #require(await flow.error as? FlowError)
      #expect(error.code == .duplicateKey)
      #expect(error.step == "board")
      #expect(error.message.contains("Board"))
      #expect(await flow.lines.dropFirst(3) == ["withdrawn", "failed board", "rolledBack 0"])
    }
  }

  @Test("a key used twice in the first render fails the step before it asks")
  func duplicatesAtFirst() async throws {
    let script = BoardScript(first: BoardState(effects: ["a", "a"])) { _, _ in Issue.record("started") }
    let flow = launch(.board(script), with: "")
    #expect(await flow.code == .duplicateKey)
    #expect(await flow.lines == ["launched", "moved -→board", "failed board", "rolledBack 0"])
  }
}
