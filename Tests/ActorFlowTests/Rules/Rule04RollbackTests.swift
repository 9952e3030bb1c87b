import ActorFlow
import Testing

@Suite("Rule 4: abandon, cancellation and failure roll back") struct Rule04RollbackTests {
  /// Traces the properties of the task that runs `backUp`.
  private static func flow(_ trace: Trace, failing: Set<String> = []) -> Flow<String, String> {
    @Sendable func undo(_ context: RollbackContext) throws {
      trace.add("\(context.step.name) \(context.reason.word)\(Task.isCancelled ? " in a cancelled task" : "")")
      if failing.contains(context.step.name) { throw Failure(context.step.name) }
    }
    return Flow {
      Step.scripted("a", backUp: { try undo($0) }) { _, context in try await context.ask(Form(text: "a")) }
      Step.scripted("b", backUp: { try undo($0) }) { input, _ in input }
      Step.scripted("c", backUp: { try undo($0) }) { _, context in
        let answer = try await context.ask(Form(text: "c"))
        if answer == "fail" { throw Failure("cause") }
        return answer
      }
    }
  }

  @Test("backUps run newest first, in a task that is not cancelled, with the reason", arguments: LeavingBy.allCases)
  func order(by: LeavingBy) async throws {
    let trace = Trace()
    let flow = launch(Self.flow(trace), with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    switch by {
    case .back: try await flow.coordinator.backUp()
    case .abandon: try await flow.coordinator.abandon(reason: "first")
    case .failure: try await flow.answer("fail")
    case .cancelledCaller: flow.run.cancel()
    }
    if by == .back {
      #expect(trace.all == ["c back", "b back", "a back"])
      flow.run.cancel()
    }
    _ = await flow.result
    #expect(trace.all.prefix(3) == ["c", "b", "a"].map { "\($0) \(by.reason.word)" }[...])
  }

  @Test("a failing backUp on the way to the bottom stops no other; abandon throws rollbackFailed after the end")
  func abandonWithErrors() async throws {
    let trace = Trace()
    let flow = launch(Self.flow(trace, failing: ["c", "a"]), with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    let thrown = await #expect(throws: FlowError.self) { try await flow.coordinator.abandon(reason: "why") }
    #expect(thrown?.code == .rollbackFailed)
    #expect(thrown?.underlyingErrors.compactMap { $0 as? Failure } == [Failure("c"), Failure("a")])
    #expect(thrown?.underlying as? Failure == Failure("c"))
    #expect(await flow.coordinator.position.status == .ended(.abandoned(reason: "why")))
    #expect(await flow.code == .abandoned)
    #expect(trace.all.count == 3)
    #expect(await flow.lines.last == "rolledBack 2")
  }

  @Test("a caller that joins an ending gets the errors of failed backUps as well")
  func joinersHearErrors() async throws {
    let (trace, compensating) = (Trace(), Checkpoint())
    let flow = launch(
      Flow {
        Step.scripted(
          "a",
          backUp: { _ in
            await compensating.pass()
            throw Failure("a")
          }
        ) { _, _ in throw Failure("cause") }
      }, with: "")
    await compensating.reached()
    let joining = await flow.filing { try await $0.abandon(reason: "too late") }
    compensating.open()
    let thrown = await error(of: joining) as? FlowError
    #expect(thrown?.code == .rollbackFailed)
    #expect(thrown?.underlyingErrors.count == 1)
    #expect(await flow.error as? Failure == Failure("cause"))
    #expect(trace.all.isEmpty)
  }

  @Test("an abandon without rollback that cuts a back short throws the errors of its backUps so far")
  func cutShort() async throws {
    let compensating = Checkpoint()
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in try await context.ask(Form(text: "a")) }
        Step.scripted(
          "b",
          backUp: { _ in
            await compensating.pass()
            throw Failure("b")
          }
        ) { _, context in try await context.ask(Form(text: "b")) }
      }, with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    let backing = await flow.filing { try await $0.backUp() }
    await compensating.reached()
    let abandoning = await flow.filing { try await $0.abandon(reason: "now", rollingBack: false) }
    compensating.open()
    let thrown = await error(of: abandoning) as? FlowError
    #expect(thrown?.code == .rollbackFailed)
    #expect(thrown?.underlying as? Failure == Failure("b"))
    #expect((await error(of: backing) as? FlowError)?.code == .ending)
    #expect(await flow.code == .abandoned)
  }

  @Test("a failing backUp on the way back to a place: the flow lands, then backUp throws rollbackFailed")
  func backWithErrors() async throws {
    let flow = launch(Self.flow(Trace(), failing: ["c", "a"]), with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    let thrown = await #expect(throws: FlowError.self) { try await flow.coordinator.backUp() }
    #expect(thrown?.code == .rollbackFailed)
    #expect(thrown?.underlyingErrors.compactMap { $0 as? Failure } == [Failure("c"), Failure("a")])
    let position = try await flow.coordinator.settled()
    #expect(position.step == "a")
    #expect(position.status == .running)
    try await flow.answer("2")
    try await flow.answer("3")
    #expect(try await flow.result.get() == "3")
    #expect(await flow.lines.contains("backedUp c→a 2"))
  }

  @Test("run throws the step's own error, whatever the rollback throws")
  func ownError() async throws {
    let flow = launch(Self.flow(Trace(), failing: ["a", "b", "c"]), with: "")
    try await flow.answer("1")
    try await flow.answer("fail")
    #expect(await flow.error as? Failure == Failure("cause"))
    #expect(await flow.lines.suffix(2) == ["failed c", "rolledBack 3"])
  }

  @Test("an abandoned run throws a FlowError with the reason as its message")
  func abandoned() async throws {
    let flow = launch(Self.flow(Trace()), with: "")
    try await flow.answer("1")
    try await flow.coordinator.abandon(reason: "the customer left")
    let error = try #require(await flow.error as? FlowError)
    #expect(error.code == .abandoned)
    #expect(error.message == "the customer left")
    #expect(error.flow == "test")
  }

  @Test("abandon(rollingBack: false) awaits the step and leaves its effects")
  func notRollingBack() async throws {
    let (trace, stubborn) = (Trace(), Checkpoint())
    let flow = launch(
      Flow {
        Step("a") { Asker(trace) }
        Step.scripted("b", backUp: { _ in trace.add("b:backUp") }) { _, context in
          _ = try? await context.ask(Form(text: "b"))
          await stubborn.pass()
          trace.add("b:back")
          return ""
        }
      }, with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    let abandoning = await flow.filing { try await $0.abandon(reason: "keep", rollingBack: false) }
    await stubborn.reached()
    #expect(await flow.coordinator.position.status.word == "leaving b")
    stubborn.open()
    try await abandoning.value
    #expect(await flow.code == .abandoned)
    #expect(trace.all == ["a:proceed()", "b:back"])
    #expect(await flow.lines.suffix(2) == ["leaving b abandoned", "abandoned keep"])
  }

  @Test("a caller that is cancelled gets CancellationError, whatever the rollback throws")
  func cancelled() async throws {
    let flow = launch(Self.flow(Trace(), failing: ["a", "b", "c"]), with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    flow.run.cancel()
    #expect(await flow.error is CancellationError)
    #expect(await flow.lines.last == "rolledBack 3")
  }

  @Test("onFailure(.suspend) rolls back in memory", arguments: [FailurePolicy.suspend, .rollBack])
  func suspend(policy: FailurePolicy) async throws {
    let trace = Trace()
    let flow = launch(Self.flow(trace).onFailure(policy), with: "")
    try await flow.answer("1")
    try await flow.answer("fail")
    #expect(await flow.error as? Failure == Failure("cause"))
    #expect(trace.all == ["c failed", "b failed", "a failed"])
  }
}
