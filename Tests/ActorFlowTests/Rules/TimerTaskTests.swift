import ActorFlow
import ActorFlowTesting
import Testing

/// The task that sleeps for a flow's timers.
@Suite("The timer's task") struct TimerTaskTests {
  @TaskLocal fileprivate static var request: String?

  @Test("the timer's task has no task-local values of the task that armed it")
  func taskLocals() async throws {
    let clock = WatchedClock()
    let coordinator = FlowCoordinator(id: "f", clock: clock)
    let flow = Flow<String, String>("f") {
      Step("a") { (_: String, context: StepContext) in
        try await context.ask(Form(text: "a"), within: .seconds(60)) ?? "late"
      }
      Step("b") { (text: String, context: StepContext) in
        _ = try await context.ask(Form(text: "b"), within: .seconds(30))
        return text + (TimerTaskTests.request ?? "-")
      }
    }
    async let result = Self.$request.withValue("run") { try await coordinator.run(flow, with: "-") }
    let question = try #require(try await coordinator.settled().questions.first?.id)
    try await clock.clock.waitForSleepers(1)
    try await Self.$request.withValue("answer") { try await coordinator.answer(question, with: "1") }
    let next = try #require(try await coordinator.settled().questions.first?.id)
    try await Self.$request.withValue("answer") { try await coordinator.answer(next, with: "2") }
    #expect(try await result == "1run", "a step has those of the task that called run")
    #expect(clock.seen.withLock { $0 }.isEmpty == false)
    #expect(clock.seen.withLock { $0 }.allSatisfy { $0 == nil })
  }
}

/// A clock that records the task-local value of each task that sleeps by it.
private final class WatchedClock: Clock {
  let clock = ManualClock()
  let seen = Lock<[String?]>([])
  var now: ManualClock.Instant { clock.now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    seen.withLock { $0.append(TimerTaskTests.request) }
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
