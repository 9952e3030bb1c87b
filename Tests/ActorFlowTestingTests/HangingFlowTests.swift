import ActorFlow
import ActorFlowTesting
import Testing

/// A tester's messages about a flow that makes no progress. Its patience is measured by a clock that the tests move.
@Suite struct HangingFlowTests {
  let clock = ManualClock()
  let hold = Hold()
  /// Released when the step `deaf` of ``stubborn`` has begun: one that is left before that returns at once.
  let begun = Hold()
  var patience: Patience { Patience(.seconds(30), clock: clock) }

  /// Ends the patience as soon as something is waited for, once `condition` returns.
  private func beImpatient(
    after condition: @escaping @Sendable () async -> Void = {}
  ) -> Task<Void, any Error> {
    Task { [clock] in
      await condition()
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(30))
    }
  }

  private func impatiently<Value>(
    after condition: @escaping @Sendable () async -> Void = {}, _ body: () async throws -> Value
  ) async throws -> Value {
    let impatience = beImpatient(after: condition)
    defer { impatience.cancel() }
    return try await body()
  }

  /// A condition that holds when the flow has accepted a leave.
  private func leaving(_ tester: FlowTester<String>) -> @Sendable () async -> Void {
    { [coordinator = tester.coordinator] in
      for await event in coordinator.events {
        if case .leaving = event.position.status { return }
      }
    }
  }

  /// shipping asks; stubborn does not return before `hold` is released.
  private var stubborn: Flow<String, String> {
    Flow("stubborn") {
      Step("shipping", ShippingStep.init)
      Step("deaf") { [hold, begun] (order: String) in
        begun.release()
        await hold.wait()
        return order
      }
    }
  }

  @Test("a step that does not return when the flow backs up is named, and the flow lands when it does")
  func deafStep() async throws {
    try await testFlow(stubborn, with: "cart", clock: clock, patience: patience) { tester in
      try await tester.answer(AddressForm.self, with: "a")
      try await tester.expect(.moved(to: "deaf"))
      await begun.wait()
      clock.advance(by: .seconds(7))
      let line = #line + 2
      let failure = try await impatiently(after: leaving(tester)) {
        try await failing { try await tester.backUp() }
      }
      #expect(
        failure.message == """
          expected `backUp` to complete, but nothing happened for 30.0 seconds; stubborn/deaf does not return: \
          visit 2 was left 7.0 seconds after the run began, but its `proceed`, or a `backUp` on the way, is still \
          running; a step must return when its task is cancelled
          what follows:
            6. leaving stubborn/deaf (back)
          """)
      #expect(failure.line == line)
      hold.release()
      try await tester.expect(.leaving("deaf", .back), .backedUp(to: "shipping", from: "deaf"))
      _ = try await tester.question(AddressForm.self)
      try await tester.abandon()
    }
  }

  @Test("a test ends with the failure that names the step, although the step never returns")
  func leftBehind() async throws {
    let failure = try await failing {
      try await testFlow(stubborn, with: "cart", patience: patience) { tester in
        try await tester.answer(AddressForm.self, with: "a")
        try await tester.expect(.moved(to: "deaf"))
        await begun.wait()
        try await impatiently(after: leaving(tester)) { try await tester.abandon(reason: "late") }
      }
    }
    #expect(failure.message.contains("stubborn/deaf does not return: visit 2 was left"))
    hold.release()
  }

  @Test("a step that does not return at the end of a test is named beside the failure before it")
  func besides() async throws {
    let failure = try await failing {
      try await impatientlyAtTheEnd { _ in throw Declined() }
    }
    #expect(failure.message.hasPrefix("Declined()\nbesides, expected the flow to end, but nothing happened for 30.0"))
    #expect(failure.message.contains("stubborn/deaf does not return"))
    #expect(failure.underlying is Declined)
    let line = #line + 1
    let second = try await failing { try await impatientlyAtTheEnd { try await $0.expect(.moved(to: "pricing")) } }
    #expect(second.line == line)
    #expect(second.message.hasPrefix("expected \"moved to pricing\", but found: 5. moved to stubborn/deaf"))
    #expect(second.message.contains("\nbesides, expected the flow to end"))
    hold.release()
  }

  private func impatientlyAtTheEnd(
    _ body: (FlowTester<String>) async throws -> Void
  ) async throws {
    var impatience: Task<Void, any Error>?
    defer { impatience?.cancel() }
    try await testFlow(stubborn, with: "cart", patience: patience) { tester in
      try await tester.answer(AddressForm.self, with: "a")
      for await event in tester.coordinator.events where event.position.step == "stubborn/deaf" { break }
      await begun.wait()
      impatience = beImpatient()
      try await body(tester)
    }
  }

  @Test("a rollback that does not end is reported with the steps that it may be at")
  func deafBackUp() async throws {
    let began = Hold()
    let double = StepDouble<String, String>(
      .waiting,
      onBackUp: { [hold] _ in
        began.release()
        await hold.wait()
      })
    try await testFlow(Flow { Step("deaf") { double } }, with: "", patience: patience) { tester in
      try await tester.expect(.moved(to: "deaf"))
      // A step that is left before it has begun owes no `backUp`.
      while await double.inputs.isEmpty { await Task.yield() }
      let failure = try await impatiently(after: { await began.wait() }) {
        try await failing { try await tester.abandon() }
      }
      #expect(
        failure.message.contains(
          "the flow is rolling back, and a `backUp` of one of these steps has not returned: deaf\n"))
      hold.release()
      try await tester.expect(.leaving("deaf"), .abandoned(), .rolledBack)
    }
  }

  @Test("a flow that neither asks nor ends is reported with the step it is at")
  func silent() async throws {
    let flow = Flow { Step("silent") { StepDouble<String, String>(.waiting) } }
    try await testFlow(flow, with: "", patience: patience) { tester in
      try await tester.expect(.moved(to: "silent"))
      let first = try await impatiently { try await failing { try await tester.finish() } }
      #expect(
        first.message == "expected \"finished\", but nothing happened for 30.0 seconds; the flow is running at silent")
      let second = try await impatiently { try await failing { try await tester.skipRest() } }
      #expect(
        second.message
          == "expected the flow to settle, but nothing happened for 30.0 seconds; the flow is running at silent")
      try await tester.abandon()
    }
    var impatience: Task<Void, any Error>?
    let failure = try await failing {
      try await testFlow(flow, with: "", patience: patience) { tester in
        try await tester.expect(.moved(to: "silent"))
        impatience = beImpatient()
      }
    }
    try await impatience?.value
    #expect(
      failure.message == """
        at the end of the test the flow is running at silent; end it with `abandon()` if that is intended
        """)
  }

  @Test("in passivating mode the hint names the mistake of a step that neither asks nor ends")
  func deafToReload() async throws {
    let flow = Flow {
      Step("deaf") { [hold] (order: String, context: StepContext) in
        let answer = try? await context.ask(AddressForm())
        if answer == nil { await hold.wait() }
        return answer ?? ""
      }
    }
    try await testFlow(flow, with: "", passivating: .everyQuestion, patience: patience) { tester in
      try await tester.answer(AddressForm.self, with: "a")
      let failure = try await impatiently { try await failing { try await tester.finish() } }
      #expect(
        failure.message.hasSuffix(
          """
          the flow is running at deaf; with `passivating: .everyQuestion` its task is cancelled with each answer, \
          and must then end
          """))
      hold.release()
      #expect(try await tester.finish() == "a")
    }
  }
}
