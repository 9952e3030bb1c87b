import ActorFlow
import ActorFlowTesting
import Testing

private struct Approval: Prompt {
  typealias Answer = Bool
}

private struct Rejected: Error {}

private let scans = Signal<String>("scan")

private func approval(_ name: String) -> Step<String, Bool> {
  Step(name) { (_: String, context: StepContext) in try await context.ask(Approval()) }
}

private func counted(_ name: String, failing times: Int) -> Step<String, String> {
  let attempts = Lock(0)
  return Step(name) { (input: String) in
    let attempt = attempts.withLock { count in
      count += 1
      return count
    }
    if attempt <= times { throw Rejected() }
    return input
  }
}

@Suite("Testing composed flows") struct CompositionTesterTests {
  private var both: Flow<String, Bool> {
    Flow("f") {
      Parallel {
        approval("legal")
        approval("finance")
      } join: {
        $0 && $1
      }
    }
  }

  @Test("questions of several branches are expected in any order, and answered by the step that asks")
  func questions() async throws {
    try await testFlow(both, with: "x") { tester in
      try await tester.expect(.moved(to: "parallel"))
      let forms = try await tester.questions(Approval.self, at: "finance", "legal")
      #expect(forms.map(\.step.name) == ["finance", "legal"])
      try await tester.answer(forms[0], with: true)
      try await tester.answer(Approval.self, at: "legal", with: true)
      try await tester.expect(.joined("parallel"))
      #expect(try await tester.finish())
    }
  }

  @Test("questions that were asserted already are returned unchanged")
  func askedBefore() async throws {
    try await testFlow(both, with: "x") { tester in
      try await tester.expect(.moved(to: "parallel"))
      let first = try await tester.questions(Approval.self, at: "finance", "legal")
      let second = try await tester.questions(Approval.self, at: "legal", "finance")
      #expect(first.map(\.id) == second.reversed().map(\.id))
      try await tester.abandon()
    }
  }

  @Test("events are expected in any order: all of them, and no others")
  func anyOrder() async throws {
    try await testFlow(both, with: "x", exhaustivity: .partial) { tester in
      try await tester.expect(
        inAnyOrder: .moved(to: "finance"), .asked(Approval.self, at: "finance"), .moved(to: "legal"))
      try await tester.abandon()
    }
    let failure = try await failing {
      try await testFlow(both, with: "x") { tester in
        try await tester.expect(inAnyOrder: .moved(to: "parallel"), .moved(to: "sales"))
      }
    }
    #expect(failure.message.hasPrefix("expected \"moved to sales\", but found: 3. moved to f/parallel/"))
    let silent = try await failing {
      try await testFlow(both, with: "x") { tester in
        try await tester.expect(.moved(to: "parallel"))
        _ = try await tester.questions(Approval.self, at: "finance", "legal")
        try await tester.expect(inAnyOrder: .finished)
      }
    }
    #expect(silent.message.contains("the flow waits for an answer to Approval at f/parallel/"))
  }

  @Test("while one branch asks, the progress of another branch can be expected")
  func besideQuestion() async throws {
    let hold = Hold()
    let flow = Flow("f") {
      Parallel {
        approval("legal")
        Flow("work") {
          Step("one") { (input: String) in
            await hold.wait()
            return input
          }
          Step("two") { (input: String) in input }
        }
      }
    }
    try await testFlow(flow, with: "x") { tester in
      try await tester.expect(.moved(to: "parallel"))
      try await tester.expect(inAnyOrder: .moved(to: "one"), .moved(to: "legal"), .asked(Approval.self))
      hold.release()
      try await tester.expect(.moved(to: "two"))
      try await tester.answer(Approval.self, at: "legal", with: true)
      try await tester.expect(.joined("parallel"))
      try await tester.finish()
    }
  }

  @Test("a back from the step of a branch")
  func backUp() async throws {
    let flow = Flow("f") {
      Parallel {
        Flow("x") {
          approval("one").map { "\($0)" }
          approval("two")
        }
        approval("legal")
      } join: {
        $0 && $1
      }
    }
    try await testFlow(flow, with: "x") { tester in
      try await tester.expect(.moved(to: "parallel"))
      let forms = try await tester.questions(Approval.self, at: "one", "legal")
      try await tester.answer(forms[0], with: true)
      let two = try await tester.question(Approval.self, at: "two")
      let landed = try await tester.backUp(from: two, landingAt: "one")
      #expect(landed.step.name == "one")
      _ = try await tester.question(Approval.self, at: "one")
      try await tester.abandon()
    }
  }

  @Test("failures that scopes catch, and the compensated steps")
  func scopes() async throws {
    let flow = Flow("f") {
      Step("a") { (input: String) in input }
      counted("b", failing: 2).retry(3)
      counted("c", failing: 9).recover { _ in "r" }
    }
    try await testFlow(flow, with: "x") { tester in
      try await tester.expect(
        .moved(to: "a"), .moved(to: "b"), .caught("b"), .caught("b", by: .retry(attempt: 3, after: .zero)),
        .moved(to: "c"), .caught("c", with: Rejected.self, by: .recovery), .unwound(to: "b"))
      #expect(try await tester.finish() == "r")
    }
  }

  @Test("signals: waiting, received, given up")
  func signals() async throws {
    let flow = Flow("f") {
      Step("a") { (_: String, context: StepContext) in try await context.wait(for: scans) }
      Step("b") { (input: String, context: StepContext) in
        try await context.wait(for: scans, within: .seconds(10)) ?? input
      }
    }
    let clock = ManualClock()
    try await testFlow(flow, with: "x", clock: clock) { tester in
      try await tester.expect(.moved(to: "a"), .waitingForSignal(scans, at: "a"))
      try await tester.send("1", to: scans)
      try await tester.expect(.moved(to: "b"), .waitingForSignal(scans))
      try await tester.advance(clock, by: .seconds(10))
      try await tester.expect(.stoppedWaitingForSignal(scans, at: "b"))
      #expect(try await tester.finish() == "1")
    }
  }

  @Test("a signal without a waiter fails the test at once, and so does a test that leaves a wait open")
  func unexpectedSignals() async throws {
    let flow = Flow("f") { approval("a") }
    let failure = try await failing {
      try await testFlow(flow, with: "x") { tester in
        _ = try await tester.question(Approval.self)
        try await tester.send("1", to: scans)
      }
    }
    #expect(failure.message.hasPrefix("expected \"received signal scan\", but no step waits for it"))
    let waiting = Flow("f") { Step("a") { (_: String, context: StepContext) in try await context.wait(for: scans) } }
    let open = try await failing {
      try await testFlow(waiting, with: "x") { try await $0.expect(.moved(to: "a"), .waitingForSignal(scans)) }
    }
    #expect(open.message.contains("the flow waits for the signal \"scan\" at f/a"))
  }

  @Test("a deadline: the tester moves the time when the flow has reached the deadline")
  func deadline() async throws {
    let clock = ManualClock()
    let flow = Flow("f") {
      Step("a") { (_: String, context: StepContext) in
        try await context.ask(Approval(), within: .seconds(60)) ?? false
      }
    }
    try await testFlow(flow, with: "x", clock: clock) { tester in
      _ = try await tester.question(Approval.self)
      try await tester.advance(clock, by: .seconds(60))
      try await tester.expect(.withdrawn)
      #expect(try await tester.finish() == false)
    }
  }

  @Test("an exhaustive test names the events of a composition that it did not assert")
  func unasserted() async throws {
    let flow = Flow("f") {
      Race {
        counted("a", failing: 9).recover { _ in "r" }
        Step("b") { (_: String, context: StepContext) in try await context.wait(for: scans) }
      }
    }
    let failure = try await failing {
      try await testFlow(flow, with: "x") { tester in _ = try await tester.coordinator.settled() }
    }
    for words in [
      "moved to f/race", "caught at f/race/a by recover, Rejected: ", "unwound to the beginning", "joined f/race",
    ] { #expect(failure.message.contains(words), "\(failure.message)") }
    let waiting = Flow("f") { Step("a") { (_: String, context: StepContext) in try await context.wait(for: scans) } }
    let signal = try await failing {
      try await testFlow(waiting, with: "x") { tester in
        try await tester.coordinator.settled()
        try await tester.coordinator.send("1", to: scans)
      }
    }
    for words in ["waiting for signal scan at f/a", "received signal scan at f/a"] {
      #expect(signal.message.contains(words), "\(signal.message)")
    }
  }
}
