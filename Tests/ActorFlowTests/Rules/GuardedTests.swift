import ActorFlow
import Testing

private struct NotAManager: Error, Equatable {}

/// Refuses unless a manager has answered last; traces `guard(input) ID`.
private func managersOnly(_ trace: Trace) -> @Sendable (String, EntryContext) throws -> Void {
  { input, context in
    trace.add("guard(\(input)) \(context.startedBy?.id ?? "-") \(context.answeredBy?.id ?? "-")")
    guard context.answeredBy?.roles.contains("manager") == true else { throw NotAManager() }
  }
}

/// The ids that a directory knows as managers.
private final class Directory: Sendable {
  private let ids = Lock<Set<String>>(["bob"])
  func knows(_ id: String?) -> Bool { ids.withLock { $0.contains(id ?? "") } }
  func set(_ managers: Set<String>) { ids.withLock { $0 = managers } }
}

@Suite("Guards of the definition") struct GuardedTests {
  private let trace = Trace()
  private let ann = Principal(id: "ann")
  private let bob = Principal(id: "bob", roles: ["manager"])

  private func answer(_ coordinator: FlowCoordinator, by principal: Principal?) async throws {
    let position = try await coordinator.settled()
    try await coordinator.answer(try #require(position.questions.first).id, with: "!", by: principal)
  }

  private var flow: Flow<String, String> {
    Flow {
      Step("a") { Asker(trace) }
      Flow {
        Step("b") { Asker(trace) }
        Step("c") { Asker(trace) }
      }
      .guarded(by: managersOnly(trace))
    }
  }

  private func run(_ flow: Flow<String, String>, _ body: (FlowCoordinator) async throws -> Void) async throws
    -> Result<String, any Error>
  {
    try await running(body) { try await $0.run(flow, with: "-", by: ann) }
  }

  @Test("WF-29 a guard knows who has begun the run and who has answered last; met, the component is entered")
  func met() async throws {
    let result = try await run(flow) { coordinator in for _ in 0..<3 { try await answer(coordinator, by: bob) } }
    #expect(try result.get() == "-!!!")
    #expect(trace.all.filter { $0.hasPrefix("guard") } == ["guard(-!) ann bob"], "not asked again inside")
  }

  @Test("WF-29 not met, nothing is entered, and the cause is the guard's own error")
  func notMet() async throws {
    let result = try await run(flow) { try await answer($0, by: ann) }
    #expect(throws: NotAManager()) { try result.get() }
    #expect(trace.all == ["a:proceed(-)", "guard(-!) ann ann", "a:backUp"])
  }

  @Test("a guard of the whole flow is asked before anything is entered")
  func wholeFlow() async throws {
    let coordinator = FlowCoordinator()
    await #expect(throws: NotAManager()) {
      try await coordinator.run(flow.guarded(by: managersOnly(trace)), with: "-")
    }
    #expect(trace.all == ["guard(-) - -"])
    #expect(await coordinator.position.stack.isEmpty)
  }

  @Test("a recovery around the component replaces the output of a refused one")
  func recovered() async throws {
    let recovered = Flow {
      Step("a") { Asker(trace) }
      Step("b") { Asker(trace) }.guarded(by: managersOnly(trace)).recover { "\(type(of: $0))" }
    }
    let result = try await run(recovered) { try await answer($0, by: ann) }
    #expect(try result.get() == "NotAManager")
  }

  @Test("after a back into the component the guard is asked again, about those whom it has admitted")
  func afterBack() async throws {
    let managers = Directory()
    let flow = Flow {
      Step("a") { Asker(trace) }
      Flow {
        Step("b") { Asker(trace) }
        Step("c") { Asker(trace) }
      }
      .guarded { [trace] input, context in
        trace.add("guard(\(input)) \(context.answeredBy?.id ?? "-")")
        guard managers.knows(context.answeredBy?.id) else { throw NotAManager() }
      }
    }
    let result = try await run(flow) { coordinator in
      try await answer(coordinator, by: bob)
      try await answer(coordinator, by: ann)
      try await coordinator.settled()
      try await coordinator.backUp()
      try await answer(coordinator, by: ann)
      try await coordinator.settled()
      managers.set([])
      try await coordinator.backUp()
    }
    #expect(throws: NotAManager()) { try result.get() }
    let asked = "guard(-!) bob"
    #expect(trace.all.filter { $0.hasPrefix("guard") } == [asked, asked, asked])
    #expect(trace.all.suffix(2) == [asked, "a:backUp"], "b was compensated by the back, and not called again")
  }

  @Test("a leave cancels a guard that runs, and its error means nothing then")
  func leftMeanwhile() async throws {
    let reached = Checkpoint()
    let waiting = Flow {
      Step("z") { Asker(trace) }
      Step("a") { Asker(trace) }
      Step("b") { Asker(trace) }.guarded { _, _ in
        reached.mark()
        try await ContinuousClock().sleep(for: .seconds(3_600))
      }
    }
    let result = try await run(waiting) { coordinator in
      for _ in 0..<2 { try await answer(coordinator, by: nil) }
      await reached.reached()
      #expect(await coordinator.position.step == "a")
      try await coordinator.backUp()
      #expect(await coordinator.position.step == "z")
      try await coordinator.abandon()
    }
    #expect(throws: FlowError.self) { try result.get() }
    #expect(!trace.all.contains { $0.hasPrefix("b:") })
  }

  @Test("skip gets the same circumstances")
  func skipping() async throws {
    let flow = Flow {
      Step("a") { Asker(trace) }
      Step("b") { Nosy(trace) }
    }
    let result = try await run(flow) { try await answer($0, by: bob) }
    #expect(try result.get() == "ann bob")
  }

  @Test("a run that starts inside a guarded component is asked, if the guard's input is known")
  func startingInside() async throws {
    let coordinator = FlowCoordinator()
    await #expect(throws: NotAManager()) {
      try await coordinator.run(
        Step("b") { Asker(trace) }.guarded(by: managersOnly(trace)), with: "-", startingAt: "b", input: "+")
    }
    #expect(trace.all == ["guard(+) - -"])
    let error = await #expect(throws: FlowError.self) {
      try await coordinator.run(flow, with: "-", startingAt: "c", input: "+")
    }
    #expect(error?.code == .noSuchStep)
  }
}

/// Skips itself with the ids of those who have begun the run and answered last.
private actor Nosy: SkippableStep {
  private let trace: Trace
  init(_ trace: Trace) { self.trace = trace }
  func skip(_ input: String, context: EntryContext) -> Skip<String> {
    .with("\(context.startedBy?.id ?? "-") \(context.answeredBy?.id ?? "-")")
  }
  func proceed(_ input: String, context: StepContext) -> String { input }
  func backUp(context: RollbackContext) {}
}
