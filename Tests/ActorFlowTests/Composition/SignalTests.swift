import ActorFlow
import ActorFlowTesting
import Testing

private let checks = Signal<String>("provider.check")

@Suite("Signals") struct SignalTests {
  private let trace = Trace()

  private func asker(_ name: String) -> Step<String, String> { Step(name) { Asker(trace) } }

  private func waiter(_ name: String, within limit: Duration? = nil) -> Step<String, String> {
    .scripted(name, backUp: { [trace] _ in trace.add("\(name):backUp") }) { [trace] input, context in
      do {
        let value =
          if let limit { try await context.wait(for: checks, within: limit) } else {
            try await context.wait(for: checks)
          }
        return input + (value ?? "none")
      } catch {
        trace.add("\(name):\(error is CancellationError ? "cancelled" : "\(error)")")
        throw error
      }
    }
  }

  @Test("a signal that arrives before any step waits is buffered, in order")
  func early() async throws {
    let run = launch(
      Flow("f") {
        asker("a")
        waiter("b")
        waiter("c")
      }, with: "-")
    _ = try await run.coordinator.settled()
    for value in ["1", "2"] { #expect(try await run.coordinator.send(value, to: checks) == .accepted) }
    try await run.answer("!")
    #expect(try await run.result.get() == "-!12")
    #expect(await !run.lines.contains { $0.hasPrefix("waiting") }, "no step had to wait")
  }

  @Test("a step that waits is settled, and shown in the position; the signal resumes it")
  func late() async throws {
    let run = launch(Flow("f") { waiter("b") }, with: "-")
    let position = try await run.coordinator.settled()
    #expect(position.waits.map(\.signal) == ["provider.check"] && position.waits.map(\.step) == ["f/b"])
    #expect(position.questions.isEmpty)
    #expect(try await run.coordinator.send("1", to: checks) == .accepted)
    #expect(try await run.result.get() == "-1")
    #expect(
      await run.lines == [
        "launched", "moved -→b", "waiting b provider.check", "received b provider.check", "finished",
      ])
    #expect(await run.coordinator.position.waits.isEmpty)
  }

  @Test("a key makes a signal unique, whether it was buffered or received; without a key each counts")
  func duplicates() async throws {
    let run = launch(
      Flow("f") {
        waiter("a")
        waiter("b")
        asker("c")
      }, with: "-")
    _ = try await run.coordinator.settled()
    #expect(try await run.coordinator.send("1", to: checks, key: "k") == .accepted)
    #expect(try await run.coordinator.send("2", to: checks, key: "k") == .duplicate)
    #expect(try await run.coordinator.send("2", to: Signal<String>("other"), key: "k") == .accepted, "another signal")
    #expect(try await run.coordinator.send("3", to: checks, key: "l") == .accepted)
    #expect(try await run.coordinator.send("4", to: checks, key: "l") == .duplicate)
    #expect(try await run.coordinator.send("5", to: checks) == .accepted)
    #expect(try await run.coordinator.send("5", to: checks) == .accepted)
    try await run.answer("!")
    #expect(try await run.result.get() == "-13!")
  }

  @Test("a signal before the run is refused; after the end its sender is told that the flow has ended")
  func outsideRun() async throws {
    let coordinator = FlowCoordinator(id: "test")
    #expect(await code { try await coordinator.send("1", to: checks) } == .notRunning)
    let run = launch(Flow("f") { waiter("b") }, with: "-", on: coordinator)
    _ = try await coordinator.settled()
    try await coordinator.send("1", to: checks, key: "k")
    #expect(try await run.result.get() == "-1")
    #expect(try await coordinator.send("1", to: checks, key: "k") == .flowEnded)
    let second = launch(Flow("f") { waiter("b") }, with: "-", on: coordinator)
    while case .ended = await coordinator.position.status { await Task.yield() }
    #expect(try await coordinator.send("2", to: checks, key: "k") == .accepted, "keys are a run's own")
    #expect(try await second.result.get() == "-2")
  }

  @Test("another type under the same name is refused while a step waits, and is skipped if it was buffered")
  func types() async throws {
    let numbers = Signal<Int>(checks.name)
    let run = launch(
      Flow("f") {
        waiter("b")
        asker("c")
        waiter("d")
      }, with: "-")
    _ = try await run.coordinator.settled()
    #expect(await code { try await run.coordinator.send(7, to: numbers, key: "k") } == .typeMismatch)
    #expect(try await run.coordinator.send("1", to: checks, key: "k") == .accepted, "a refused signal uses up no key")
    _ = try await run.coordinator.settled()
    try await run.coordinator.send(7, to: numbers)
    try await run.coordinator.send("2", to: checks)
    try await run.answer("!")
    #expect(try await run.result.get() == "-1!2")
  }

  @Test("of two waits in branches the earlier one gets the first signal")
  func order() async throws {
    let flow = Flow("f") {
      Parallel {
        Flow("x") {
          asker("a")
          waiter("b")
        }
        waiter("c")
      } join: {
        "\($0)|\($1)"
      }
    }
    let run = launch(flow, with: "-")
    try await run.answer("!")
    let position = try await run.coordinator.settled()
    #expect(position.waits.map(\.step.name) == ["c", "b"])
    try await run.coordinator.send("1", to: checks)
    try await run.coordinator.send("2", to: checks)
    #expect(try await run.result.get() == "-!2|-1")
  }

  @Test("a wait with a limit returns nil at its end, and a later signal is buffered for the next")
  func within() async throws {
    let clock = ManualClock()
    let flow = Flow("f") {
      waiter("a", within: .seconds(10))
      waiter("b", within: .seconds(10))
    }
    let run = launch(flow, with: "-", on: FlowCoordinator(id: "test", clock: clock))
    _ = try await run.coordinator.settled()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    _ = await event("waiting b provider.check", of: run.coordinator)
    try await run.coordinator.send("1", to: checks)
    #expect(try await run.result.get() == "-none1")
    #expect(await run.lines.contains("stoppedWaiting a provider.check"))
    #expect(clock.sleepers == 0)
  }

  @Test("back and abandon end a wait with a CancellationError; a wait is no target of a back")
  func leaving() async throws {
    let flow = Flow("f") {
      asker("a")
      waiter("b")
      asker("c")
    }
    let run = launch(flow, with: "-")
    try await run.answer("1")
    try await run.coordinator.settled()
    try await run.coordinator.backUp()
    try await run.coordinator.settled()
    #expect(trace.all.suffix(4) == ["b:cancelled", "b:backUp", "a:backUp", "a:proceed(-)"])
    try await run.answer("2")
    try await run.coordinator.settled()
    try await run.coordinator.send("s", to: checks)
    try await run.coordinator.settled()
    try await run.coordinator.backUp()
    try await run.coordinator.settled()
    #expect(trace.all.last == "a:proceed(-)", "not to b, which only waited")
    try await run.answer("3")
    let position = try await run.coordinator.settled()
    #expect(position.waits.count == 1, "the signals that b had received are gone with it")
    try await run.coordinator.abandon()
    #expect(await run.code == .abandoned)
    #expect(await run.coordinator.position.waits.isEmpty)
  }

  @Test("a wait that a step gives up is over, and the signal goes to the next one")
  func givenUp() async throws {
    let step = Step<String, String>.scripted("a") { input, context in
      try await withThrowingTaskGroup(of: String.self) { group in
        group.addTask { try await context.wait(for: checks) }
        group.addTask { try await context.wait(for: Signal<String>("other")) }
        defer { group.cancelAll() }
        return input + (try await group.next() ?? "")
      }
    }
    let run = launch(
      Flow("f") {
        step
        waiter("b")
      }, with: "-")
    _ = await event("waiting a other", of: run.coordinator)
    try await run.coordinator.send("1", to: Signal<String>("other"))
    _ = await event("moved a→b", of: run.coordinator)
    try await run.coordinator.send("2", to: checks)
    #expect(try await run.result.get() == "-12")
  }

  @Test("a signal that is being committed is received, although the waiting task is cancelled meanwhile")
  func cancelledMeanwhile() async throws {
    let (hook, handed) = (CommitHook(), Handover<Task<String, any Error>>())
    let step = Step<String, String>.scripted("a") { input, context in
      let child = Task { try await context.wait(for: checks) }
      handed.give(child)
      return input + ((try? await child.value) ?? "lost")
    }
    let run = hook.launch(Flow("f") { step })
    _ = try await run.coordinator.settled()
    hook.hold { $0.position.waits.isEmpty }
    async let sent = run.coordinator.send("1", to: checks)
    await hook.held.reached()
    await handed.value()?.cancel()
    hook.relax()
    #expect(try await sent == .accepted)
    #expect(try await run.result.get() == "1")
  }

  @Test("at most 1,000 signals are buffered; a refused signal uses up no key")
  func bound() async throws {
    let run = launch(
      Flow("f") {
        asker("a")
        waiter("b")
        asker("c")
      }, with: "-")
    try await run.coordinator.settled()
    for number in 0..<1_000 { try await run.coordinator.send("\(number)", to: checks) }
    #expect(await code { try await run.coordinator.send("x", to: checks, key: "k") } == .signalsFull)
    try await run.answer("!")
    try await run.coordinator.settled()
    #expect(try await run.coordinator.send("x", to: checks, key: "k") == .accepted)
    try await run.answer("?")
    #expect(try await run.result.get() == "-!0?")
  }
}
