import ActorFlow
import Testing

@Suite("record: what once left behind") struct RecordTests {
  /// `a` asks; `b` charges once and asks; each reads its record first. `undo` is `b`'s backUp.
  private func flow(
    _ trace: Trace, work: @escaping @Sendable () async throws -> Int = { 17 },
    undo: @escaping ScriptedStep.BackUp = { _ in }
  ) -> Flow<String, String> {
    Flow {
      Step("a") { Asker() }
      Step.scripted("b", backUp: undo) { _, context in
        trace.add("before: \(await context.record("charge", as: Int.self).word)")
        _ = try? await context.once("charge") { key in
          trace.add(key)
          return try await work()
        }
        return try await context.ask(Form(text: "b"))
      }
      Step("c") { Asker() }
    }
  }

  /// Charges, lands on `b` again, and ends.
  private func twice(_ flow: Launched<String>) async throws {
    try await flow.answer("1")
    try await flow.answer("2")
    _ = try await flow.coordinator.settled()
    _ = try? await flow.coordinator.backUp()
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.abandon(reason: "", rollingBack: false)
    _ = await flow.result
  }

  @Test("a record is dropped when backUp has returned; the effect then has a new idempotency key")
  func dropped() async throws {
    let trace = Trace()
    try await twice(launch(flow(trace), with: ""))
    let lines = trace.all
    #expect(lines.count == 4)
    #expect(lines[0] == "before: none")
    #expect(lines[2] == "before: none")
    #expect(lines[1] != lines[3])
  }

  @Test("a record is kept when backUp threw, so that its effect is not repeated")
  func staysAfterFailure() async throws {
    let trace = Trace()
    try await twice(launch(flow(trace, undo: { _ in throw Refused() }), with: ""))
    #expect(trace.all.count == 3)
    #expect(trace.all.first == "before: none")
    #expect(trace.all.last == "before: done 17")
  }

  @Test("an interrupted record kept by a failed backUp keeps its idempotency key")
  func interruptedStays() async throws {
    let trace = Trace()
    try await twice(launch(flow(trace, work: { throw Refused() }, undo: { _ in throw Refused() }), with: ""))
    let lines = trace.all
    #expect(lines.count == 4)
    #expect(lines[2] == "before: interrupted \(lines[1])")
    #expect(lines[1] == lines[3])
  }

  @Test("backUp reads the record: none, done, interrupted", arguments: ["none", "done", "interrupted"])
  func seenByBackUp(what: String) async throws {
    let trace = Trace()
    let flow = launch(
      Flow {
        Step.scripted(
          "a",
          backUp: { context in
            switch await context.record("charge", as: Int.self) {
            case .none: trace.add("none")
            case .done(let value): trace.add("done \(value)")
            case .interrupted(let key): trace.add("interrupted \(key.isEmpty ? "" : "with a key")")
            }
          }
        ) { _, context in
          switch what {
          case "done": _ = try await context.once("charge") { _ in 17 }
          case "interrupted": _ = try await context.once("charge") { _ -> Int in throw Failure("gateway") }
          default: break
          }
          throw Failure("after")
        }
      }, with: "")
    _ = await flow.result
    #expect(trace.all == [["none": "none", "done": "done 17", "interrupted": "interrupted with a key"][what]])
  }

  @Test("a record read as another type counts as interrupted")
  func anotherType() async throws {
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          _ = try await context.once("k") { _ in 17 }
          if case .interrupted = await context.record("k", as: String.self) { return "interrupted" }
          return "-"
        }
      }, with: "")
    #expect(try await flow.result.get() == "interrupted")
  }

  @Test("work under way counts as interrupted")
  func underWay() async throws {
    let working = Checkpoint()
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          async let charged = context.once("k") { _ -> Int in
            await working.pass()
            return 17
          }
          await working.reached()
          let record = await context.record("k", as: Int.self)
          working.open()
          _ = try await charged
          if case .interrupted = record { return "interrupted" }
          return record.word
        }
      }, with: "")
    #expect(try await flow.result.get() == "interrupted")
  }

  @Test("a rollback's once runs its work once, and its record goes with backUp")
  func onceInBackUp() async throws {
    let (trace, count) = (Trace(), Count())
    let flow = launch(
      flow(
        Trace(),
        undo: { context in
          trace.add(await context.record("refund", as: Int.self).word)
          let first = try await context.once("refund") { _ in count.next() }
          let second = try await context.once("refund") { _ in count.next() }
          trace.add("\(first) \(second) \(await context.record("charge", as: Int.self).word)")
        }), with: "")
    try await flow.answer("1")
    for _ in 1...2 {
      try await flow.answer("2")
      _ = try await flow.coordinator.settled()
      try await flow.coordinator.backUp()
      _ = try await flow.coordinator.settled()
    }
    #expect(trace.all == ["none", "1 1 done 17", "none", "2 2 done 17"])
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("an effect of a backUp that then threw is not repeated by the next backUp")
  func refundOnce() async throws {
    let (count, trace) = (Count(), Trace())
    let flow = launch(
      flow(
        Trace(),
        undo: { context in
          trace.add("\(try await context.once("refund") { _ in count.next() })")
          if trace.all.count == 1 { throw Refused() }
        }), with: "")
    try await flow.answer("1")
    try await flow.answer("2")
    _ = try await flow.coordinator.settled()
    #expect(await code { try await flow.coordinator.backUp() } == .rollbackFailed)
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.abandon()
    #expect(trace.all == ["1", "1"])
    #expect(count.now == 1)
    _ = await flow.result
  }

  @Test("the next step waits for work that a backUp began and did not wait for")
  func leftoverInBackUp() async throws {
    let (trace, working, begun) = (Trace(), Checkpoint(), Handover<Task<Void, any Error>>())
    let flow = launch(
      Flow {
        Step.scripted("a", backUp: { _ in trace.add("a:backUp") }) { input, _ in input }
        Step.scripted(
          "b",
          backUp: { context in
            begun.give(
              Task {
                try await context.once("refund") { _ in
                  await working.pass()
                  trace.add("refunded")
                }
              })
            await working.reached()
          }
        ) { _, _ in throw Refused() }
      }, with: "")
    await working.reached()
    // The backUp has nothing to wait for; the yields let the flow continue without the work if it would.
    for _ in 1...1_000 { await Task.yield() }
    #expect(trace.all.isEmpty)
    working.open()
    _ = await flow.result
    _ = try await begun.value()?.value
    #expect(trace.all == ["refunded", "a:backUp"])
  }

  @Test("a rollback's context is over when its backUp has returned")
  func rollbackContextOver() async throws {
    let handed = Handover<RollbackContext>()
    let flow = launch(
      Flow {
        Step.scripted("a", backUp: { handed.give($0) }) { _, _ in throw Refused() }
      }, with: "")
    _ = await flow.result
    let context = try #require(await handed.value())
    #expect(await code { try await context.once("k") { _ in } } == .notActive)
    #expect(await context.record("k").word == "none")
    #expect(context.reason == .failed)
    #expect(context.step == "a")
    #expect(context.flow == "test")
  }

  @Test("the idempotency key consists of flow, place, generation, key and the bits of the run")
  func idempotencyKey() async throws {
    let trace = Trace()
    try await twice(launch(flow(trace), with: ""))
    let keys = trace.all.filter { !$0.hasPrefix("before") }
    #expect(keys.allSatisfy { $0.hasPrefix("test/b/") && $0.dropLast(25).hasSuffix("/charge") })
    #expect(Set(keys).count == 2 && Set(keys.map { $0.suffix(24) }).count == 1, "one run, and two generations")
  }
}
