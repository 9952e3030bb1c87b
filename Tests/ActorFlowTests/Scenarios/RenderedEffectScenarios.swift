import ActorFlow
import Testing

/// The guarantees of workflow-swift about side effects and workers.
@Suite struct RenderedEffectScenarios {
  /// Effects that trace and report each start and end.
  private struct Stage {
    let trace = Trace()
    let started = Checkpoint()
    let ended = Checkpoint()

    var script: BoardScript {
      BoardScript(trace) { [trace, started, ended] key, _ in
        trace.add("start \(key)")
        started.mark()
        await untilCancelled()
        trace.add("end \(key)")
        ended.mark()
      }
    }
  }

  private func end(_ flow: Launched<String>) async throws {
    try await flow.act(.out("end"))
    #expect(try await flow.result.get() == "end")
  }

  @Test("WS-048 an effect starts once when its key is first requested")
  func first() async throws {
    let stage = Stage()
    let flow = launch(.board(stage.script), with: "")
    try await flow.act(.run("a"))
    await stage.started.reached()
    try await end(flow)
    #expect(stage.trace.all == ["start a", "end a"])
  }

  @Test("WS-049 the same key in the next render does not start it again")
  func same() async throws {
    let stage = Stage()
    let flow = launch(.board(stage.script), with: "")
    try await flow.act(.run("a"), .add("1"), .add("2"))
    await stage.started.reached()
    try await end(flow)
    #expect(stage.trace.all == ["start a", "end a"])
  }

  @Test("WS-051 under a different key the old effect is cancelled, then the new one starts")
  func other() async throws {
    let (trace, started) = (Trace(), Checkpoint())
    let flow = launch(.board(.tracingCancellation(trace, started)), with: "")
    try await flow.act(.run("a"))
    await started.reached()
    try await flow.act(.all([.stop("a"), .run("b")]))
    await started.reached(2)
    #expect(trace.all == ["start a", "cancel a", "start b"])
    try await end(flow)
  }

  @Test("WS-053 an ended effect that still retains its sink is refused")
  func endedSink() async throws {
    let held = Handover<Sink<BoardAction>>()
    let flow = launch(.board(BoardScript { _, sink in held.give(sink) }), with: "")
    try await flow.act(.run("a"))
    let sink = try #require(await held.value())
    try await flow.act(.stop("a"))
    #expect(await !sink(.add("1")))
    #expect(await flow.board?.line == "")
    try await end(flow)
  }

  @Test("WS-056 the result of an effect becomes an action and a rendering")
  func result() async throws {
    let done = Checkpoint()
    let script = BoardScript { _, sink in
      #expect(await sink(.add("found")))
      done.mark()
    }
    let flow = launch(.board(script), with: "")
    try await flow.act(.run("a"))
    await done.reached()
    #expect(await flow.board?.line == "found")
    try await end(flow)
  }

  @Test("WS-057 a render with the same key does not repeat an effect that has returned")
  func notAgain() async throws {
    let done = Checkpoint()
    let script = BoardScript { _, sink in
      await sink(.add("1"))
      done.mark()
    }
    let flow = launch(.board(script), with: "")
    try await flow.act(.run("a"))
    await done.reached()
    try await flow.act(.add("x"), .add("y"))
    #expect(await flow.board?.line == "1xy")
    #expect(done.arrivals == 1)
    try await end(flow)
  }

  @Test("WS-058 an effect whose key is its input is run again when that changes")
  func inputAsKey() async throws {
    let stage = Stage()
    let flow = launch(.board(stage.script), with: "")
    try await flow.act(.run("query a"), .all([.stop("query a"), .run("query b")]))
    await stage.started.reached(2)
    await stage.ended.reached()
    try await end(flow)
    #expect(Set(stage.trace.all.prefix(3)) == ["start query a", "end query a", "start query b"])
  }

  @Test("WS-060 under a new key an effect runs again, and the state stays")
  func newKey() async throws {
    let stage = Stage()
    let flow = launch(.board(stage.script), with: "")
    try await flow.act(.add("state"), .run("1"), .all([.stop("1"), .run("2")]))
    await stage.started.reached(2)
    #expect(await flow.board?.line == "state")
    try await end(flow)
  }

  private struct Reader: RenderedStep {
    let ended: Checkpoint
    func makeState() -> Bool { true }
    func apply(_ goesOn: Int, to reads: inout Bool) -> Int? {
      reads = goesOn > 0
      return goesOn < 0 ? goesOn : nil
    }
    func render(_ reads: Bool, in scope: inout RenderScope<Reader>) -> Choice {
      if reads {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        continuation.onTermination = { [ended] _ in ended.mark() }
        scope.run("reading", over: stream) { _ in
          withExtendedLifetime(continuation) { 1 }
        }
      }
      return Choice()
    }
  }

  @Test("WS-061 an effect that is no longer requested is cancelled, both work and sequence")
  func cancelled() async throws {
    let stage = Stage()
    let flow = launch(.board(stage.script), with: "")
    try await flow.act(.run("a"))
    await stage.started.reached()
    try await flow.act(.stop("a"))
    await stage.ended.reached()
    try await end(flow)

    let ended = Checkpoint()
    let reading = launch(Flow { Step("reader") { (_: String) in Reader(ended: ended) } }, with: "")
    _ = try await reading.coordinator.settled()
    try await reading.coordinator.answer(Choice.self, with: 0)
    await ended.reached()
    try await reading.coordinator.answer(Choice.self, with: -1)
    #expect(try await reading.result.get() == -1)
  }

  @Test("WS-063 the result of a cancelled effect is dropped")
  func dropped() async throws {
    let (started, gate, trace) = (Checkpoint(), Checkpoint(), Trace())
    let script = BoardScript(trace) { _, sink in
      started.mark()
      await gate.pass()
      trace.add("\(await sink(.add("late")))")
    }
    let flow = launch(.board(script), with: "")
    try await flow.act(.run("a"))
    await started.reached()
    try await flow.act(.stop("a"))
    gate.open()
    try await end(flow)
    #expect(trace.all == ["false"])
  }

  private struct Throwing: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
      var count = 0
      mutating func next() throws -> Int? {
        count += 1
        if count > 2 { throw ActorFlowTests.Failure("sequence") }
        return count
      }
    }
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
  }

  private struct Collector: RenderedStep {
    var handles: Bool
    func makeState() -> Int { 0 }
    func apply(_ number: Int, to sum: inout Int) -> Int? {
      sum += number
      return number == 100 ? sum : nil
    }
    func render(_ sum: Int, in scope: inout RenderScope<Collector>) -> Choice {
      if handles {
        scope.run("numbers") { sink in
          do { for try await number in Throwing() { await sink(number) } } catch { await sink(100) }
        }
      } else {
        scope.run("numbers", over: Throwing()) { $0 }
      }
      return Choice()
    }
  }

  @Test("WS-064 a sequence that throws fails the step, or its error becomes an action")
  func throwing() async throws {
    let failing = launch(Flow { Step("collector") { (_: String) in Collector(handles: false) } }, with: "")
    #expect(await failing.error as? Failure == Failure("sequence"))
    let handling = launch(Flow { Step("collector") { (_: String) in Collector(handles: true) } }, with: "")
    #expect(try await handling.result.get() == 103)
  }
}
