import ActorFlow
import Testing

@Suite("once: an effect that happens once") struct OnceTests {
  private func run(_ work: @escaping ScriptedStep.Proceed) -> Launched<String> {
    launch(Flow { Step.scripted("a", proceed: work) }, with: "")
  }

  @Test("the first call runs the work, later ones return what it recorded")
  func once() async throws {
    let count = Count()
    let flow = run { _, context in
      let first = try await context.once("k") { _ in count.next() }
      let second = try await context.once("k") { _ in count.next() }
      return "\(first) \(second)"
    }
    #expect(try await flow.result.get() == "1 1")
    #expect(count.now == 1)
  }

  @Test("another key is another effect")
  func keys() async throws {
    let count = Count()
    let flow = run { _, context in
      let first = try await context.once("k") { _ in count.next() }
      let second = try await context.once("l") { _ in count.next() }
      return "\(first) \(second)"
    }
    #expect(try await flow.result.get() == "1 2")
  }

  @Test("concurrent calls with one key run the work once; all get its result")
  func concurrent() async throws {
    let (count, working) = (Count(), Checkpoint())
    let flow = run { _, context in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 1...20 {
          group.addTask {
            try await context.once("k") { _ in
              await working.pass()
              return count.next()
            }
          }
        }
        return try await group.reduce(into: [Int]()) { $0.append($1) }.description
      }
    }
    await working.reached()
    working.open()
    #expect(try await flow.result.get() == Array(repeating: 1, count: 20).description)
    #expect(count.now == 1)
  }

  @Test("work that throws is not done: its error is thrown, and the next caller tries again with the same key")
  func throwing() async throws {
    let (count, keys) = (Count(), Trace())
    let flow = run { _, context in
      @Sendable func attempt() async throws -> Int {
        try await context.once("k") { key in
          keys.add(key)
          if count.next() == 1 { throw Failure("first") }
          return 17
        }
      }
      await #expect(throws: Failure("first")) { try await attempt() }
      #expect(await context.record("k", as: Int.self) == .interrupted(idempotencyKey: keys.all[0]))
      return "\(try await attempt())"
    }
    #expect(try await flow.result.get() == "17")
    #expect(keys.all.count == 2)
    #expect(Set(keys.all).count == 1)
  }

  @Test("when the work throws, one of the waiting callers tries again")
  func throwingConcurrently() async throws {
    let (count, working) = (Count(), Checkpoint())
    let flow = run { _, context in
      await withTaskGroup(of: String.self) { group in
        for _ in 1...5 {
          group.addTask {
            do {
              let attempt = try await context.once("k") { _ in
                let attempt = count.next()
                await working.pass()
                if attempt == 1 { throw Failure("first") }
                return attempt
              }
              return "\(attempt)"
            } catch { return "\(error)" }
          }
        }
        return await group.reduce(into: [String]()) { $0.append($1) }.sorted().joined(separator: " ")
      }
    }
    await working.reached()
    working.open()
    #expect(try await flow.result.get() == "2 2 2 2 first")
    #expect(count.now == 2)
  }

  @Test("the cancellation of a waiting caller affects only that caller")
  func cancelledWaiter() async throws {
    let working = Checkpoint()
    let flow = run { _, context in
      let first = Task {
        try await context.once("k") { _ -> Int in
          await working.pass()
          return 17
        }
      }
      await working.reached()
      let second = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await context.once("k") { _ in 18 }
      }
      #expect(await second.result.isCancellation)
      working.open()
      return "\(try await first.value)"
    }
    #expect(try await flow.result.get() == "17")
  }

  @Test("the work is shielded: a cancelled caller that began it still gets its result, and it is recorded")
  func shielded() async throws {
    let working = Checkpoint()
    let flow = run { _, context in
      let child = Task {
        try await context.once("k") { _ -> Bool in
          await working.pass()
          return Task.isCancelled
        }
      }
      await working.reached()
      child.cancel()
      working.open()
      let isCancelled = try await child.value
      return "\(isCancelled) \(await context.record("k", as: Bool.self).word)"
    }
    #expect(try await flow.result.get() == "false done false")
  }

  @Test("a leave waits for the work; it is recorded before backUp runs", arguments: Rule01ScopeTests.Leave.allCases)
  func leaveWaits(leave: Rule01ScopeTests.Leave) async throws {
    let (trace, working) = (Trace(), Checkpoint())
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step.scripted(
          "b",
          backUp: { context in trace.add("backUp with \(await context.record("k", as: Int.self).word)") }
        ) { _, context in
          let value = try await context.once("k") { _ -> Int in
            await working.pass()
            trace.add("worked")
            return 17
          }
          trace.add("got \(value)")
          return ""
        }
      }, with: "")
    try await flow.answer("1")
    await working.reached()
    await leave.request(of: flow)
    #expect(await flow.coordinator.position.status.word == "leaving b")
    #expect(trace.all.isEmpty)
    working.open()
    if leave == .back { #expect(await event("backedUp b→a 0", of: flow.coordinator) != nil) }
    flow.run.cancel()
    _ = await flow.result
    #expect(trace.all == ["worked", "got 17", "backUp with done 17"])
  }

  @Test("a leave also waits for work whose caller does not wait for it")
  func leaveWaitsForLeftover() async throws {
    let (trace, working, begun) = (Trace(), Checkpoint(), Handover<Task<Void, any Error>>())
    let flow = launch(
      Flow {
        Step.scripted("a", backUp: { _ in trace.add("backUp") }) { _, context in
          begun.give(
            Task {
              try await context.once("k") { _ in
                await working.pass()
                trace.add("worked")
              }
            })
          await working.reached()
          return try await context.ask(Form(text: "a"))
        }
      }, with: "")
    _ = try await flow.coordinator.settled()
    let abandoning = await flow.filing { try await $0.abandon() }
    // The step has nothing to wait for; the yields let the flow continue without the work if it would.
    for _ in 1...1_000 { await Task.yield() }
    #expect(trace.all.isEmpty)
    working.open()
    try await abandoning.value
    _ = try await begun.value()?.value
    #expect(trace.all == ["worked", "backUp"])
  }

  @Test("another type for the same key throws wrongRecordType, and the record stays")
  func wrongType() async throws {
    let flow = run { _, context in
      _ = try await context.once("k") { _ in 17 }
      let refusal = await code { try await context.once("k") { _ in "text" } }
      let nothing = await code { try await context.once("k") { _ in } }
      return
        "\(refusal?.description ?? "-") \(nothing?.description ?? "-") \(await context.record("k", as: Int.self).word)"
    }
    #expect(try await flow.result.get() == "wrongRecordType wrongRecordType done 17")
  }

  @Test("work that returns nothing is recorded, too")
  func nothing() async throws {
    let count = Count()
    let flow = run { _, context in
      try await context.once("k") { _ in _ = count.next() }
      try await context.once("k") { _ in _ = count.next() }
      return await context.record("k").word
    }
    #expect(try await flow.result.get() == "done")
    #expect(count.now == 1)
  }

  @Test("outside a flow the work runs each time, with a key of its own")
  func standalone() async throws {
    let (context, count) = (StepContext.standalone, Count())
    #expect(try await context.once("k") { _ in count.next() } == 1)
    #expect(try await context.once("k") { _ in count.next() } == 2)
    try await context.once("l") { key in #expect(key.contains("l")) }
    #expect(await context.record("k", as: Int.self) == .none)
    #expect(await context.record("k").word == "none")
    #expect(await code { try await context.ask(Form(text: "")) } == .notInFlow)
    #expect(await code { try await context.update(Form(text: "")) } == .notInFlow)
    #expect(await code { try await context.backUp() } == .notInFlow)
    #expect(await code { try await context.abandon("") } == .notInFlow)
    let updates = AsyncStream<Form> { $0.finish() }
    #expect(await code { try await context.ask(Form(text: ""), updates: updates) } == .notInFlow)
    let step = Automatic()
    #expect(try await step.proceed("x", context: context) == "xstandalone")
  }
}
