import ActorFlow
import Testing

@Suite("Rendered steps, rules 2 and 4: effects") struct RenderedEffectTests {
  @Test(
    "an effect starts after the first render that requests it, runs on, and is cancelled by the first that does not")
  func lifetime() async throws {
    let (trace, started, stopped) = (Trace(), Checkpoint(), Checkpoint())
    let script = BoardScript(trace) { key, _ in
      trace.add("start \(key)")
      started.mark()
      await untilCancelled()
      trace.add("end \(key)")
      stopped.mark()
    }
    let flow = launch(.board(script), with: "")
    try await flow.act(.run("a"))
    await started.reached()
    try await flow.act(.add("x"), .add("y"))
    #expect(trace.all == ["start a"])
    try await flow.act(.stop("a"))
    await stopped.reached()
    try await flow.act(.run("a"))
    await started.reached(2)
    try await flow.act(.out("x"))
    _ = try await flow.result.get()
    #expect(trace.all == ["start a", "end a", "start a", "end a"])
  }

  @Test("the effects of the first rendering start as well")
  func firstRendering() async throws {
    let started = Checkpoint()
    let script = BoardScript(first: BoardState(effects: ["a", "b"])) { _, _ in started.mark() }
    let flow = launch(.board(script), with: "")
    await started.reached(2)
    try await flow.act(.out("x"))
    _ = try await flow.result.get()
  }

  @Test("an effect that only the last rendering requests does not start, also shortly after another action")
  func lastRendering() async throws {
    for _ in 0..<50 {
      let trace = Trace()
      let script = BoardScript(trace) { key, _ in
        trace.add("start \(key)")
        await untilCancelled()
      }
      let flow = launch(.board(script), with: "")
      let id = try #require(try await flow.coordinator.settled().questions.first?.id)
      try await flow.coordinator.answer(id, with: BoardAction.run("a"))
      try await flow.coordinator.answer(id, with: BoardAction.all([.run("last"), .out("x")]))
      _ = try await flow.result.get()
      #expect(!trace.all.contains("start last"))
    }
  }

  @Test("an effect that a render has ended is cancelled when the action's sender continues, and awaited afterwards")
  func cancelledBefore() async throws {
    let (started, cancelled, gate) = (Checkpoint(), Checkpoint(), Checkpoint())
    let script = BoardScript { _, _ in
      await withTaskCancellationHandler {
        started.mark()
        await gate.pass()
      } onCancel: {
        cancelled.mark()
      }
    }
    let flow = launch(.board(script), with: "")
    try await flow.act(.run("a"))
    await started.reached()
    try await flow.act(.stop("a"))
    #expect(cancelled.arrivals == 1)
    // The effect has not returned, and actions are still accepted.
    try await flow.act(.add("x"))
    #expect(await flow.board?.line == "x")
    gate.open()
    try await flow.act(.out("x"))
    _ = try await flow.result.get()
  }

  @Test("effects that a render has ended are cancelled before new ones start")
  func order() async throws {
    let (trace, started) = (Trace(), Checkpoint())
    let flow = launch(.board(.tracingCancellation(trace, started)), with: "")
    try await flow.act(.run("a"))
    await started.reached()
    try await flow.act(.all([.stop("a"), .run("b")]))
    await started.reached(2)
    #expect(trace.all == ["start a", "cancel a", "start b"])
    try await flow.act(.out("x"))
    _ = try await flow.result.get()
  }

  @Test("a key starts again only after its old work has ended")
  func restart() async throws {
    let (trace, started, gate) = (Trace(), Checkpoint(), Checkpoint())
    let script = BoardScript { key, _ in
      trace.add("start \(key)")
      started.mark()
      await gate.pass()
      trace.add("end \(key)")
    }
    let flow = launch(.board(script), with: "")
    try await flow.act(.run("a"))
    await started.reached()
    try await flow.act(.stop("a"), .run("a"), .add("x"))
    #expect(trace.all == ["start a"])
    gate.openOnce()
    await started.reached(2)
    #expect(trace.all == ["start a", "end a", "start a"])
    gate.open()
    try await flow.act(.out("x"))
    _ = try await flow.result.get()
  }

  @Test("an effect's action is rendered before its sink returns, and an effect may end itself")
  func sends() async throws {
    let (done, trace) = (Checkpoint(), Trace())
    let script = BoardScript { key, sink in
      trace.add("\(await sink(.add("1")))")
      trace.add("\(await sink(.all([.add("2"), .stop(key)]))) \(Task.isCancelled)")
      trace.add("\(await sink(.add("3")))")
      done.mark()
    }
    let flow = launch(.board(script), with: "")
    try await flow.act(.run("a"))
    await done.reached()
    #expect(trace.all == ["true", "true true", "false"])
    #expect(await flow.board?.line == "12")
    try await flow.act(.out("x"))
    _ = try await flow.result.get()
  }

  @Test("an effect that has returned is not started again while it is requested")
  func returned() async throws {
    let (count, done) = (Count(), Checkpoint())
    let script = BoardScript { _, sink in
      count.next()
      await sink(.add("x"))
      done.mark()
    }
    let flow = launch(.board(script), with: "")
    try await flow.act(.run("a"))
    await done.reached()
    try await flow.act(.add("y"), .add("z"))
    #expect(count.now == 1)
    #expect(await flow.board?.line == "xyz")
    try await flow.act(.stop("a"), .run("a"))
    await done.reached(2)
    try await flow.act(.out("x"))
    _ = try await flow.result.get()
  }

  @Test("an effect's output ends the step")
  func effectEnds() async throws {
    let script = BoardScript(first: BoardState(effects: ["a"])) { _, sink in
      let isTaken = await sink(.all([.add("x"), .out("end \(Task.isCancelled)")]))
      #expect(isTaken)
      #expect(await !sink(.add("late")))
      await untilCancelled()
    }
    let flow = launch(.board(script), with: "")
    #expect(try await flow.result.get() == "end false")
    #expect(await flow.lines.dropFirst(3) == ["updated board 2", "withdrawn", "finished"])
  }

  @Test("a sequence is an effect whose elements are actions")
  func sequences() async throws {
    let flow = launch(Flow { Step("ticker") { (name: String) in Ticker(prices: [1, 2, 3]) } }, with: "")
    #expect(try await flow.result.get() == "1 2 3")
  }

  /// Reads prices, and puts them out when there are three.
  private struct Ticker: RenderedStep {
    let prices: [Int]
    func makeState() -> [Int] { [] }
    func apply(_ price: Int, to seen: inout [Int]) -> String? {
      seen.append(price)
      return seen.count == 3 ? seen.map { "\($0)" }.joined(separator: " ") : nil
    }
    func render(_ seen: [Int], in scope: inout RenderScope<Ticker>) -> Choice {
      let (stream, continuation) = AsyncStream<String>.makeStream()
      for price in prices { continuation.yield("\(price)") }
      continuation.finish()
      scope.run("prices", over: stream) { Int($0) ?? 0 }
      return Choice()
    }
  }

  private enum Tag { @TaskLocal static var value = "none" }

  @Test("an effect has the task-local values of the flow's task, not those of the answerer")
  func taskLocals() async throws {
    let seen = Handover<String>()
    let script = BoardScript { _, _ in seen.give(Tag.value) }
    let flow = Tag.$value.withValue("flow") { launch(.board(script), with: "") }
    try await Tag.$value.withValue("answerer") { try await flow.act(.run("a")) }
    #expect(await seen.value() == "flow")
    try await flow.act(.out("x"))
    _ = await flow.result
  }
}
