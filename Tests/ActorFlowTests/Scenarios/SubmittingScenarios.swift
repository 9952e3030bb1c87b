import ActorFlow
import ActorFlowTesting
import Testing

/// Submits, keys and open questions: the part of a flow that a web address would lead to.
@Suite("Scenarios: submitting") struct SubmittingScenarios {
  private let trace = Trace()

  private var shop: Flow<String, String> {
    Flow("shop") {
      Step("card") { [trace] in Asker(trace) }
      Step("charge") { [trace] in Automatic(trace) }
      Step("survey") { [trace] in Asker(trace) }
    }
  }

  @Test("WF-06 behind a settling step no earlier question can be answered, and no back leads there")
  func invalidated() async throws {
    let flow = Flow {
      shop
      Step("confirm") { Automatic() }.onBackUp(.settling)
      Step("end") { Asker() }
    }
    let keys = Collected<Question.ID>()
    let result = try await running(flow, with: "s") { coordinator in
      for answer in ["1", "2"] {
        keys.append(try #require(try await coordinator.settled().questions.first).id)
        try await coordinator.answerNext(answer)
      }
      #expect(try await coordinator.settled().canBackUp == false)
      #expect(await ActorFlowTests.code { try await coordinator.backUp(to: "card") } == .cannotBackUp)
      for key in keys.all {
        #expect(await ActorFlowTests.code { try await coordinator.answer(key, with: "x") } == .questionClosed)
      }
      try await coordinator.answerNext("3", at: "end")
    }
    #expect(try result.get() == "s1charge2confirm3")
    #expect(!trace.all.contains { $0.hasSuffix("backUp") })
  }

  @Test("WF-09 a stale key is refused with the step, the key and the revision to redirect to")
  func redirected() async throws {
    let flow = Flow {
      shop
      Step("confirm") { Automatic() }.onBackUp(.settling)
      Step("end") { Asker() }
    }
    let result = try await running(flow, with: "s") { coordinator in
      let old = try #require(try await coordinator.settled().questions.first)
      try await coordinator.answerNext("1", at: "card")
      try await coordinator.answerNext("2", at: "survey")
      _ = try await coordinator.settled()
      let error = await #expect(throws: FlowError.self) { try await coordinator.answer(old.id, with: "again") }
      #expect(error?.code == .questionClosed)
      let open = try #require(error?.openQuestions.first)
      #expect(error?.openQuestions.count == 1 && open.step == "end" && open.revision == 1)
      try await coordinator.answer(open.id, with: "3", revision: open.revision)
    }
    #expect(try result.get() == "s1charge2confirm3")
  }

  @Test("WF-09 a stale revision is refused with the current one, of a question and of a rendering")
  func currentRevision() async throws {
    let flow = Flow<String, String> {
      Step("page") { (_: String, context: StepContext) in
        try await context.ask(Form(text: "1"), updates: AsyncStream { $0.yield(Form(text: "2")) })
      }
      Step("board") { (_: String) in Board() }
    }
    let result = try await running(flow, with: "s") { coordinator in
      for await event in coordinator.events where event.position.questions.first?.revision == 2 { break }
      let page = try #require(await coordinator.position.questions.first)
      let stale = await #expect(throws: FlowError.self) {
        try await coordinator.answer(page.id, with: "x", revision: 1)
      }
      #expect(stale?.code == .staleRevision)
      #expect(stale?.openQuestions.map { [$0.revision, $0.id.number] } == [[2, page.id.number]])
      try await coordinator.answer(page.id, with: "x", revision: try #require(stale?.openQuestions.first?.revision))
      let board = try #require(try await coordinator.settled().questions.first)
      try await coordinator.answer(board.id, with: BoardAction.add("a"), revision: 1)
      let old = await #expect(throws: FlowError.self) {
        try await coordinator.answer(board.id, with: BoardAction.add("b"), revision: 1)
      }
      #expect(old?.code == .staleRevision && old?.openQuestions.map(\.revision) == [2])
      try await coordinator.answer(board.id, with: BoardAction.out("end"), revision: 2)
    }
    #expect(try result.get() == "end")
  }

  @Test("WF-10 of two simultaneous submits of one revision exactly one is carried out, also if another view follows")
  func simultaneous() async throws {
    let result = try await running(shop, with: "s") { coordinator in
      let question = try #require(try await coordinator.settled().questions.first)
      let outcomes = await withTaskGroup(of: FlowError.Code?.self) { group in
        for answer in ["1", "2"] {
          group.addTask {
            await ActorFlowTests.code {
              try await coordinator.answer(question.id, with: answer, revision: question.revision)
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.count { $0 == nil } == 1)
      #expect(outcomes.count { $0 == .questionClosed } == 1)
      #expect(try await coordinator.focus() == "survey")
      #expect(trace.all.count { $0.hasPrefix("charge:proceed") } == 1)
      try await coordinator.abandon()
    }
    #expect(code(of: result) == .abandoned)
  }

  @Test("WF-11 when the flow has ended every old key is refused with that reason, and nothing runs")
  func ended() async throws {
    let keys = Collected<Question.ID>()
    let coordinator = FlowCoordinator()
    _ = try await running(shop, with: "s", on: coordinator) { coordinator in
      for answer in ["1", "2"] {
        keys.append(try #require(try await coordinator.settled().questions.first).id)
        try await coordinator.answerNext(answer)
      }
    }
    let before = trace.all
    #expect(keys.all.count == 2)
    for key in keys.all {
      #expect(await code { try await coordinator.answer(key, with: "again") } == .flowEnded)
    }
    #expect(trace.all == before)
    #expect(await coordinator.position.status == .ended(.finished))
  }

  @Test("WF-12 an invalid key is not decoded, and an invented one is refused with noSuchQuestion")
  func garbage() async throws {
    for text in ["", "/", "e1s1", "shop/1", "shop/one/two", "shop/1/", "%00/../..", "shop/1/99999999999999999999"] {
      #expect(Question.ID(text) == nil, "\(text)")
    }
    let coordinator = FlowCoordinator(id: "shop")
    let result = try await running(shop, with: "s", on: coordinator) { coordinator in
      let before = try await coordinator.settled()
      for text in ["shop/1/99", "shop/7/1", "shop/-1/-1", "shop/1/0"] {
        let key = try #require(Question.ID(text))
        #expect(await ActorFlowTests.code { try await coordinator.answer(key, with: "x") } == .noSuchQuestion)
      }
      #expect(await coordinator.position.questions.map(\.id) == before.questions.map(\.id))
      try await coordinator.abandon()
    }
    #expect(code(of: result) == .abandoned)
  }

  @Test("WF-13 a key of one flow is refused by another, although it has a question of the same number")
  func foreign() async throws {
    let (a, b) = (FlowCoordinator(id: "a"), FlowCoordinator(id: "b"))
    _ = try await running(shop, with: "s", on: a) { a in
      _ = try await running(shop, with: "t", on: b) { b in
        let key = try #require(try await a.settled().questions.first).id
        let own = try #require(try await b.settled().questions.first).id
        #expect(key.number == own.number && key.run == own.run)
        #expect(await ActorFlowTests.code { try await b.answer(key, with: "x") } == .noSuchQuestion)
        #expect(await b.position.questions.map(\.id) == [own])
        try await b.abandon()
      }
      try await a.abandon()
    }
  }

  @Test("WF-21 an event unknown to the step is refused with the known ones; nothing changes")
  func unknownEvent() async throws {
    let flow = Flow {
      Step("review") { (_: Void, context: StepContext) in try await context.ask(Review()) }
      Switch {
        Case("approve", where: { $0 == "approve" }) { Step("done") { (event: String) in event } }
        Case("reject", where: { $0 == "reject" }) { Step("done") { (event: String) in event } }
      }
    }
    let result = try await running(flow, with: ()) { coordinator in
      let before = try await coordinator.settled()
      let question = try #require(before.questions.first)
      await #expect(throws: Unknown(event: "explode", allowed: ["approve", "reject"])) {
        try await coordinator.answer(question.id, with: "explode")
      }
      // A value that is no event at all is refused by its type.
      let error = await #expect(throws: FlowError.self) { try await coordinator.answer(question.id, with: 7) }
      #expect(error?.code == .wrongAnswerType)
      #expect(error?.message == "a prompt of type Review takes an answer of type String, not Int")
      let after = await coordinator.position
      #expect(after.stack == before.stack)
      #expect(after.questions.map(\.id) == [question.id])
      try await coordinator.answer(question.id, with: "reject")
    }
    #expect(try result.get() == "reject")
  }

  @Test("WF-26 back and cancel need no valid form: they are no answers", arguments: [true, false])
  func withoutValidation(goesBack: Bool) async throws {
    let asked = Count()
    let flow = Flow {
      Step("first") { Asker() }
      Step("form") { (_: String, context: StepContext) in
        try await context.ask(
          CheckedForm("form") { _ in
            asked.next()
            throw Refused()
          })
      }
    }
    let result = try await running(flow, with: "s") { coordinator in
      try await coordinator.answerNext("1", at: "first")
      await #expect(throws: Refused.self) { try await coordinator.answerNext("invalid", at: "form") }
      if goesBack { #expect(try await coordinator.backUpAndSettle() == "first") }
      try await coordinator.abandon(reason: "cancel")
    }
    #expect(code(of: result) == .abandoned)
    #expect(asked.now == 1)
  }
}

private struct Review: Prompt {
  typealias Answer = String
  func validate(_ answer: String) throws {
    let allowed = ["approve", "reject"]
    if !allowed.contains(answer) { throw Unknown(event: answer, allowed: allowed) }
  }
}

private struct Unknown: Error, Equatable {
  var event: String
  var allowed: [String]
}
