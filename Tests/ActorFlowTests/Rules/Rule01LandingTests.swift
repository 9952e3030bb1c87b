import ActorFlow
import Testing

@Suite("Rule 1: no other step code runs once a leave was accepted") struct Rule01LandingTests {
  /// Skips nothing, but traces the call of its `skip`.
  private actor Considerate: SkippableStep {
    let trace: Trace
    let thinking: Checkpoint?
    init(_ trace: Trace, _ thinking: Checkpoint? = nil) {
      self.trace = trace
      self.thinking = thinking
    }
    func skip(_ input: String, context: EntryContext) async throws -> Skip<String> {
      trace.add("skip")
      await thinking?.pass()
      return .enter
    }
    func proceed(_ input: String, context: StepContext) async throws -> String {
      trace.add("proceed")
      return input
    }
    func backUp(context: RollbackContext) { trace.add("backUp") }
  }

  @Test("a factory that runs when the flow is left is awaited; its step's skip and proceed are not called")
  func factory() async throws {
    let (trace, making) = (Trace(), Checkpoint())
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step("b") { () async -> Considerate in
          await making.pass()
          trace.add("made, cancelled \(Task.isCancelled)")
          return Considerate(trace)
        }
      }, with: "")
    try await flow.answer("1")
    await making.reached()
    #expect(await flow.coordinator.position.step == "a")
    let abandoning = await flow.filing { try await $0.abandon() }
    #expect(await flow.coordinator.position.status.word == "leaving a")
    making.open()
    try await abandoning.value
    #expect(trace.all == ["made, cancelled true"])
    #expect(await flow.lines.suffix(3) == ["leaving a abandoned", "abandoned ", "rolledBack 0"])
  }

  @Test("a skip that runs when the flow is left is awaited; its step is not entered")
  func skip() async throws {
    let (trace, thinking) = (Trace(), Checkpoint())
    let flow = launch(
      Flow {
        Step("a") { Asker(trace) }
        Step("b") { Considerate(trace, thinking) }
      }, with: "")
    try await flow.answer("1")
    await thinking.reached()
    let abandoning = await flow.filing { try await $0.abandon() }
    thinking.open()
    try await abandoning.value
    #expect(trace.all == ["a:proceed()", "skip", "a:backUp"])
  }

  @Test("when the flow is left while it waits for leftover work of a step, no next step is created")
  func leftoverWork() async throws {
    let (trace, working, begun) = (Trace(), Checkpoint(), Handover<Task<Void, any Error>>())
    let flow = launch(
      Flow {
        Step.scripted("a") { input, context in
          begun.give(Task { try await context.once("work") { _ in await working.pass() } })
          await working.reached()
          return input
        }
        Step("b") {
          trace.add("made")
          return Automatic(trace)
        }
      }, with: "")
    await working.reached()
    let abandoning = await flow.filing { try await $0.abandon() }
    working.open()
    try await abandoning.value
    try await begun.value()?.value
    #expect(trace.all.isEmpty)
  }

  @Test("when the flow is left in the turn in which it lands, the target's proceed is not called, nor its backUp again")
  func leftOnLanding() async throws {
    let (trace, landing) = (Trace(), Checkpoint())
    var settings = CoordinatorSettings()
    settings.commit = { machine in
      // The turn that lands: `a` was compensated, and is about to be entered again.
      if machine.phase == .walking, trace.all.last == "a:backUp" { await landing.pass() }
    }
    let flow = launch(
      Flow {
        Step("a") { Asker(trace) }
        Step("b") { Asker(trace) }
      }, with: "", on: FlowCoordinator(id: "test", settings: settings))
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    let backing = Task { try await flow.coordinator.backUp() }
    await landing.reached()
    flow.run.cancel()
    landing.open()
    _ = await backing.result
    #expect(await flow.error is CancellationError)
    #expect(trace.all == ["a:proceed()", "b:proceed(1)", "b:backUp", "a:backUp"])
    #expect(await flow.lines.suffix(4) == ["backedUp b→a 0", "leaving a cancelled", "cancelled", "rolledBack 0"])
  }
}
