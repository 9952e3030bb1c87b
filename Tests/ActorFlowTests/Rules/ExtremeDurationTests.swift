import ActorFlow
import ActorFlowTesting
import Testing

/// Durations too large for the arithmetic of any clock.
@Suite("Extreme durations") struct ExtremeDurationTests {
  static let all: [Duration] = [
    Duration(attoseconds: .min), .seconds(Int64.min), .seconds(-1), Duration(attoseconds: -1), .zero,
    Duration(attoseconds: 1), .seconds(1), .seconds(Int64.max), Duration(attoseconds: .max),
  ]

  private let clock = ManualClock()

  /// Runs a flow, and answers every question.
  private func play(_ flow: Flow<String, String>) async throws -> String {
    let coordinator = FlowCoordinator(id: "f", clock: clock)
    async let result = coordinator.run(flow, with: "-")
    for await event in coordinator.events {
      guard case .asked(let question) = event.change else { continue }
      _ = try? await coordinator.answer(question.id, with: "yes")
    }
    return try await result
  }

  private func asking(_ limit: Duration?, _ reminding: Reminding? = nil) -> Step<String, String> {
    Step("ask") { (_: String, context: StepContext) in
      try await context.ask(Form(text: "?"), within: limit, reminding: reminding) ?? "late"
    }
  }

  @Test("a question takes any time limit and any interval; a negative one is over at once", arguments: all)
  func questions(_ duration: Duration) async throws {
    let made = try await play(
      Flow("f") { asking(duration, .every(duration, max: 1) { _ in }) })
    #expect(made == "yes" || made == "late")
    if duration <= .zero { #expect(try await run(Flow("f") { asking(duration) }) == "late") }
  }

  /// Runs a flow that gets no answer.
  private func run(_ flow: Flow<String, String>) async throws -> String {
    try await FlowCoordinator(id: "f", clock: clock).run(flow, with: "-")
  }

  @Test("a wait, a timeout, an idle time and a backoff take any duration", arguments: all)
  func scopes(_ duration: Duration) async throws {
    let isOver = duration <= .zero
    let waiting = Step("wait") { (_: String, context: StepContext) in
      try await context.wait(for: Signal<String>("s"), within: isOver ? duration : .zero) ?? "late"
    }
    #expect(try await run(Flow("f") { waiting.timeout(isOver ? .seconds(9) : duration) }) == "late")
    let timed = try await play(Flow("f") { asking(nil).timeout(duration).recover { "\($0)" } })
    #expect(isOver ? timed.contains("timedOut") : timed == "yes" || timed.contains("timedOut"))
    if isOver {
      let error = await #expect(throws: FlowError.self) {
        try await run(Flow("f") { asking(nil).expires(afterIdle: duration) })
      }
      #expect(error?.code == .abandoned)
    } else {
      #expect(try await play(Flow("f") { asking(nil).expires(afterIdle: duration) }) == "yes")
    }
  }

  @Test("a backoff is never negative, and never more than its limit", arguments: all)
  func backoffs(_ first: Duration) {
    for limit in Self.all {
      for factor in [Int.min, -1, 0, 1, 2, .max] {
        let backoff = Backoff.exponential(from: first, factor: factor, limit: limit)
        for attempt in [Int.min, 0, 1, 2, 3, 200, .max] {
          let delay = backoff.delay(after: attempt)
          #expect(delay >= .zero && delay <= max(.zero, limit))
        }
      }
    }
    #expect(Backoff.constant(first).delay(after: 1) >= .zero)
  }

  @Test("a retry takes any number of attempts", arguments: [Int.min, -1, 0, 1])
  func attempts(_ count: Int) async throws {
    let failing = Step("a") { (_: String, _: StepContext) -> String in throw Refused() }
    #expect(try await run(Flow("f") { failing.retry(count, backoff: .none).recover { _ in "failed" } }) == "failed")
  }

  @Test("a definition with any duration can be drawn", arguments: all)
  func diagrams(_ duration: Duration) {
    let flow = Flow<String, String>("f") { asking(nil).timeout(duration).expires(afterIdle: duration) }
    #expect(flow.diagram(.mermaid).isEmpty == false)
  }

  @Test("a manual clock and a tester's patience take any duration", arguments: all)
  func clocks(_ duration: Duration) async throws {
    let clock = ManualClock()
    for _ in 1...3 { clock.advance(by: duration) }
    #expect(clock.now.offset >= .zero)
    // A deadline beyond the end of its time never comes.
    let sleeper = Task { try await clock.sleep(until: ManualClock.Instant(offset: Duration(attoseconds: .max))) }
    try await clock.waitForSleepers(1)
    clock.advance(by: Duration(attoseconds: .max))
    #expect(clock.sleepers == 1)
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    _ = clock.now.advanced(by: duration).duration(to: ManualClock.Instant(offset: duration))
    _ = Patience(duration)
  }
}
