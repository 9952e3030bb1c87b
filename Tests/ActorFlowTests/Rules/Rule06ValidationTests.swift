import ActorFlow
import Testing

@Suite("Rule 6: authorize, validate and revisions") struct Rule06ValidationTests {
  private func end<O>(_ flow: Launched<O>) async {
    flow.run.cancel()
    _ = await flow.result
  }

  private func launched(_ prompt: CheckedForm) async throws -> (Launched<String>, Question, StepContext) {
    let handed = Handover<StepContext>()
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          handed.give(context)
          return try await context.ask(prompt)
        }
      }, with: "")
    let question = try #require(try await flow.coordinator.settled().questions.first)
    return (flow, question, try #require(await handed.value()))
  }

  /// Looks the role up, as a server would.
  private struct Guarded: Prompt {
    typealias Answer = String
    let roles: @Sendable (Principal?) async -> Set<String>
    func authorize(_ principal: Principal?) async throws {
      guard await roles(principal).contains("clerk") else { throw Refused() }
    }
  }

  @Test("an async authorize guards as well")
  func asynchronousAuthorize() async throws {
    let prompt = Guarded { principal in
      await Task.yield()
      return principal?.roles ?? []
    }
    let flow = launch(Flow { Step.scripted("a") { _, context in try await context.ask(prompt) } }, with: "")
    let question = try #require(try await flow.coordinator.settled().questions.first)
    await #expect(throws: Refused.self) { try await flow.coordinator.answer(question.id, with: "1") }
    #expect(await flow.coordinator.position.questions.map(\.id) == [question.id])
    try await flow.coordinator.answer(question.id, with: "2", by: Principal(id: "ann", roles: ["clerk"]))
    #expect(try await flow.result.get() == "2")
  }

  @Test("an error of authorize reaches the answerer, before validate is called; the question stays open")
  func authorize() async throws {
    let trace = Trace()
    let (flow, question, _) = try await launched(CheckedForm("p", role: "clerk") { trace.add("validate \($0)") })
    await #expect(throws: Refused.self) { try await flow.coordinator.answer(question.id, with: "1") }
    await #expect(throws: Refused.self) {
      try await flow.coordinator.answer(question.id, with: "1", by: Principal(id: "bob"))
    }
    #expect(trace.all.isEmpty)
    #expect(await flow.coordinator.position.questions.map(\.id) == [question.id])
    try await flow.coordinator.answer(question.id, with: "1", by: Principal(id: "ann", roles: ["clerk"]))
    #expect(try await flow.result.get() == "1")
    #expect(trace.all == ["validate 1"])
  }

  @Test("an error of validate reaches the answerer; the question stays open and the step is not affected")
  func validate() async throws {
    let flow = launch(Flow { Step("a") { Asker() } }, with: "")
    _ = try await flow.coordinator.settled()
    await #expect(throws: Refused.self) { try await flow.coordinator.answer(Form.self, with: "") }
    #expect(await flow.coordinator.position.questions.count == 1)
    try await flow.coordinator.answer(Form.self, with: "1")
    #expect(try await flow.result.get() == "1")
  }

  @Test("validation runs in the answerer's task, and is cancelled with it")
  func answerersTask() async throws {
    let (checking, trace) = (Checkpoint(), Trace())
    let (flow, question, _) = try await launched(
      CheckedForm("p") { _ in
        await checking.pass()
        trace.add("cancelled \(Task.isCancelled) \(Rule01ScopeTests.Local.value)")
        try Task.checkCancellation()
      })
    let answering = Rule01ScopeTests.Local.$value.withValue("answerer") {
      Task { try await flow.coordinator.answer(question.id, with: "1") }
    }
    await checking.reached()
    answering.cancel()
    checking.open()
    #expect(await error(of: answering) is CancellationError)
    #expect(trace.all == ["cancelled true answerer"])
    #expect(await flow.coordinator.position.questions.count == 1)
    await end(flow)
  }

  @Test("an answer for an older revision throws staleRevision if the answerer named that revision")
  func stale() async throws {
    let (flow, question, context) = try await launched(CheckedForm("p"))
    #expect(question.revision == 1)
    try await context.update(CheckedForm("new"))
    #expect(await code { try await flow.coordinator.answer(question.id, with: "1", revision: 1) } == .staleRevision)
    #expect(await flow.coordinator.position.questions.map(\.revision) == [2])
    try await flow.coordinator.answer(question.id, with: "1", revision: 2)
    #expect(try await flow.result.get() == "1")
  }

  @Test("without a named revision, an answer applies to the current prompt")
  func unnamedRevision() async throws {
    let (flow, question, context) = try await launched(CheckedForm("p"))
    try await context.update(CheckedForm("new"))
    try await flow.coordinator.answer(question.id, with: "1")
    #expect(try await flow.result.get() == "1")
  }

  @Test("when the prompt changed while an answer was validated, it is validated again by the new prompt")
  func validatedAgain() async throws {
    let (trace, checking) = (Trace(), Checkpoint())
    let (flow, question, context) = try await launched(
      CheckedForm("old") { _ in
        trace.add("old")
        await checking.pass()
      })
    let answering = Task { try await flow.coordinator.answer(question.id, with: "1") }
    await checking.reached()
    try await context.update(CheckedForm("new") { _ in trace.add("new") })
    checking.open()
    try await answering.value
    #expect(try await flow.result.get() == "1")
    #expect(trace.all == ["old", "new"])
  }

  @Test("an answer that the new prompt refuses throws its error, and the question stays open")
  func refusedByNew() async throws {
    let checking = Checkpoint()
    let (flow, question, context) = try await launched(CheckedForm("old") { _ in await checking.pass() })
    let answering = Task { try await flow.coordinator.answer(question.id, with: "1") }
    await checking.reached()
    try await context.update(CheckedForm("new") { _ in throw Failure("new") })
    checking.open()
    #expect(await error(of: answering) as? Failure == Failure("new"))
    #expect(await flow.coordinator.position.questions.map(\.revision) == [2])
    await end(flow)
  }

  @Test("a named revision that became stale while the answer was validated throws staleRevision")
  func staleMeanwhile() async throws {
    let checking = Checkpoint()
    let (flow, question, context) = try await launched(CheckedForm("old") { _ in await checking.pass() })
    let answering = Task { try await flow.coordinator.answer(question.id, with: "1", revision: 1) }
    await checking.reached()
    try await context.update(CheckedForm("new"))
    checking.open()
    #expect((await error(of: answering) as? FlowError)?.code == .staleRevision)
    await end(flow)
  }

  @Test("an answer whose question closed while it was validated throws questionClosed")
  func closedMeanwhile() async throws {
    let checking = Checkpoint()
    let (flow, question, _) = try await launched(
      CheckedForm("p") { answer in if answer == "slow" { await checking.pass() } })
    let answering = Task { try await flow.coordinator.answer(question.id, with: "slow") }
    await checking.reached()
    let leaving = Checkpoint()
    let other = launch(
      Flow {
        Step("a") { Asker() }
        Step.scripted("b", backUp: { _ in await leaving.pass() }) { _, context in
          try await context.ask(CheckedForm("p") { _ in await checking.pass() })
        }
      }, with: "")
    try await flow.coordinator.answer(question.id, with: "fast")
    #expect(try await flow.result.get() == "fast")
    // A second flow, left while an answer to it is validated.
    try await other.answer("1")
    let theirs = try #require(try await other.coordinator.settled().questions.first)
    let late = Task { try await other.coordinator.answer(theirs.id, with: "late") }
    await checking.reached(2)
    let backing = await other.filing { try await $0.backUp() }
    await leaving.reached()
    checking.open()
    #expect((await error(of: answering) as? FlowError)?.code == .flowEnded)
    #expect((await error(of: late) as? FlowError)?.code == .questionClosed)
    leaving.open()
    try await backing.value
    await end(other)
  }
}
