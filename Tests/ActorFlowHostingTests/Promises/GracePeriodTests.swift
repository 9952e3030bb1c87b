import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Steps that do not return when a host stops", .timeLimit(.minutes(15))) struct GracePeriodTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let log = Log()
  private let gate = Gate()

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  /// The step called `stubborn` ignores its cancellation, and then tries everything that writes.
  private var flow: Flow<String, String> {
    Flow("f") {
      Step("ask") { Asker() }
      Step("stubborn") { [log, gate] (input: String, context: StepContext) in
        await gate.pass()
        do {
          try await context.once("late") { _ in log.add("effect") }
          log.add("recorded")
        } catch { log.add("once refused") }
        do {
          _ = try await context.ask(Form(text: "late"))
          log.add("asked")
        } catch { log.add("ask refused") }
        return input + "!"
      }.durableEntry()  // the tests look at the stored flow while the step runs
      Step("after") { [log] (input: String, _: StepContext) in
        log.add("after")
        return input
      }
    }
  }

  @Test("the thrown error names them, and they write nothing any more")
  func named() async throws {
    let host = FlowHost(store: store, clock: clock, owner: "first")
    let flows = try await host.register(flow)
    for id in ["f-1", "f-2"] as [FlowID] { try await flows.start(id: id, with: "-") }
    // One flow waits for an answer; the other one's step is executing.
    _ = try await host.flow("f-2").settled()
    let question = try #require(try await host.flow("f-1").settled().questions.first?.id)
    let run = Task { try await host.run() }
    try await host.flow("f-1").answer(question, with: "1")
    await gate.reached()
    try await host.emptied(exceptFor: ["f-1"])
    try await clock.waitForSleepers(2)
    run.cancel()
    let before = try await store.load("f-1")
    try await stop(host, run)
    #expect(await code { try await host.flow("f-2").answer(question, with: "1") } == .hostStopping)
    gate.open()
    await host.isQuiet()
    #expect(log.all == ["once refused", "ask refused"])
    #expect(try await store.load("f-1") == before)
    #expect(before?.snapshot.status == .runnable && before?.snapshot.steps == ["f/stubborn"])
  }

  /// Lets the grace period pass, and expects the error. The host's poll and lease renewal no longer sleep.
  private func stop(_ host: FlowHost, _ run: Task<Void, any Error>) async throws {
    while !(await host.isStopping) { await Task.yield() }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: FlowError.self) { try await run.value }
    #expect(error?.code == .stepsStillRunning)
    #expect(error?.message.contains("f-1 at f/stubborn") == true)
    #expect(error?.message.contains("f-2") == false)
    #expect(error?.message.hasPrefix("steps of 1 flows did not return within the grace period") == true)
  }

  @Test("another host activates the flow when the lease has expired, and the step that returns late changes nothing")
  func takenOver() async throws {
    let first = FlowHost(store: store, clock: clock, owner: "first")
    let flows = try await first.register(flow)
    try await flows.start(id: "f-1", with: "-")
    _ = try await first.flow("f-1").settled()
    let run = Task { try await first.run() }
    try await first.flow("f-1").answer(Form.self, with: "1")
    await gate.reached()
    try await clock.waitForSleepers(2)
    run.cancel()
    try await stop(first, run)
    let second = FlowHost(store: store, clock: clock, owner: "second")
    let again = try await second.register(flow)
    clock.advance(by: .seconds(31))
    try await second.takeUpWork()
    await gate.reached(2)
    gate.open()
    try await second.answerNext("f-1", "\"2\"")
    await first.isQuiet()
    #expect(try await again.outcome(of: "f-1") == .finished("-1!"))
    #expect(Set(log.all) == ["after", "ask refused", "asked", "effect", "once refused", "recorded"])
    // The second host may have passivated the flow before it was answered; then the step was replayed.
    #expect(["after", "asked", "effect", "once refused"].allSatisfy { line in log.all.count { $0 == line } == 1 })
    let history = try await second.flow("f-1").history()
    #expect(history.map(\.sequence) == Array(1...history.count))
  }
}
