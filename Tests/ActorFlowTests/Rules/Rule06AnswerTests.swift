import ActorFlow
import Testing

@Suite("Rule 6: a question is answered once") struct Rule06AnswerTests {
  private func asking() async throws -> (Launched<String>, Question) {
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step("b") { Asker() }
      }, with: "")
    let question = try #require(try await flow.coordinator.settled().questions.first)
    return (flow, question)
  }

  private func end<O>(_ flow: Launched<O>) async {
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("the first answer wins; the next one throws questionClosed")
  func duplicate() async throws {
    let (flow, question) = try await asking()
    try await flow.coordinator.answer(question.id, with: "1")
    #expect(await code { try await flow.coordinator.answer(question.id, with: "2") } == .questionClosed)
    try await flow.answer("3")
    #expect(try await flow.result.get() == "13")
  }

  @Test("one of many simultaneous answers wins, all others throw questionClosed")
  func contended() async throws {
    let (flow, question) = try await asking()
    let codes = await withTaskGroup(of: FlowError.Code?.self) { group in
      for number in 1...50 {
        group.addTask { await code { try await flow.coordinator.answer(question.id, with: "\(number)") } }
      }
      return await group.reduce(into: [FlowError.Code?]()) { $0.append($1) }
    }
    #expect(codes.filter { $0 == nil }.count == 1)
    #expect(codes.filter { $0 == .questionClosed }.count == 49)
    await end(flow)
    #expect(await flow.lines.filter { $0 == "answered" }.count == 1)
  }

  @Test("an answer to a question whose step was left throws questionClosed, also when the step asks again")
  func late() async throws {
    let (flow, question) = try await asking()
    try await flow.answer("1")
    let second = try #require(try await flow.coordinator.settled().questions.first)
    try await flow.coordinator.backUp()
    _ = try await flow.coordinator.settled()
    #expect(await code { try await flow.coordinator.answer(question.id, with: "x") } == .questionClosed)
    #expect(await code { try await flow.coordinator.answer(second.id, with: "x") } == .questionClosed)
    await end(flow)
  }

  @Test("an answer of another type throws wrongAnswerType, and the question stays open")
  func wrongType() async throws {
    let (flow, question) = try await asking()
    #expect(await code { try await flow.coordinator.answer(question.id, with: 17) } == .wrongAnswerType)
    #expect(await code { try await flow.coordinator.answer(question.id, with: String?.none) } == .wrongAnswerType)
    #expect(await flow.coordinator.position.questions.map(\.id) == [question.id])
    await end(flow)
  }

  @Test("a question of one flow cannot be answered in another")
  func foreign() async throws {
    let (flow, question) = try await asking()
    let other = launch(Flow { Step("a") { Asker() } }, with: "", on: FlowCoordinator(id: "other"))
    let theirs = try #require(try await other.coordinator.settled().questions.first)
    #expect(await code { try await other.coordinator.answer(question.id, with: "x") } == .noSuchQuestion)
    #expect(await code { try await flow.coordinator.answer(theirs.id, with: "x") } == .noSuchQuestion)
    #expect(await flow.coordinator.position.questions.count == 1)
    #expect(await other.coordinator.position.questions.count == 1)
    await end(flow)
    await end(other)
  }

  @Test("an id that was never given out throws noSuchQuestion")
  func neverAsked() async throws {
    let (flow, question) = try await asking()
    let future = Question.ID(flow: "test", run: 1, number: question.id.number + 1)
    #expect(await code { try await flow.coordinator.answer(future, with: "x") } == .noSuchQuestion)
    let otherRun = Question.ID(flow: "test", run: 2, number: 1)
    #expect(await code { try await flow.coordinator.answer(otherRun, with: "x") } == .noSuchQuestion)
    await end(flow)
  }

  @Test("a question of an earlier run throws questionClosed in a later one")
  func earlierRun() async throws {
    let (flow, question) = try await asking()
    await end(flow)
    let begun = Checkpoint()
    begun.open()
    let again = launch(
      Flow {
        Step.scripted("a") { _, context in
          await begun.pass()
          return try await context.ask(Form(text: "a"))
        }
      }, with: "", on: flow.coordinator)
    await begun.reached()
    _ = try await again.coordinator.settled()
    #expect(await code { try await flow.coordinator.answer(question.id, with: "x") } == .questionClosed)
    await end(again)
  }

  @Test("by prompt type: the open question of that type is answered; noSuchQuestion with none open")
  func byType() async throws {
    let (flow, _) = try await asking()
    #expect(await code { try await flow.coordinator.answer(Choice.self, with: 1) } == .noSuchQuestion)
    try await flow.coordinator.answer(Form.self, with: "1")
    try await flow.answer("2")
    #expect(try await flow.result.get() == "12")
  }

  @Test("the event of an answer names the question and who answered")
  func principal() async throws {
    let (flow, question) = try await asking()
    let principal = Principal(id: "ann", roles: ["clerk"])
    try await flow.coordinator.answer(question.id, with: "1", by: principal)
    let answered = await event("answered", of: flow.coordinator)
    guard case .answered(let id, let by)? = answered?.change else {
      Issue.record("no answer was published")
      return
    }
    #expect(id == question.id)
    #expect(by == principal)
    #expect(answered?.position.questions.isEmpty == true)
    await end(flow)
  }
}
