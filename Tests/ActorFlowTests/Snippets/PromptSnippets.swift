import ActorFlow
import ActorFlowTesting
import Testing

/// The code of the article "Steps and prompts" that is about prompts.
enum PromptSnippets {
  struct NotAllowed: Error, Equatable {}
  struct TooMuch: Error, Equatable {}

  struct Approval: Prompt {
    typealias Answer = Int  // the amount that is approved
    var amount: Int

    func authorize(_ principal: Principal?) throws {
      guard let principal, principal.roles.contains("manager") else { throw NotAllowed() }
    }
    func validate(_ answer: Int) throws {
      if answer > amount { throw TooMuch() }
    }
  }

  struct Transfer: Prompt {
    typealias Answer = Bool
    var amount: Int

    func authorize(_ principal: Principal) throws {  // an anonymous answer is refused before
      guard principal.roles.contains("manager") else { throw NotAllowed() }
    }
  }

  static var approving: Flow<Int, Bool> {
    Flow("transfer") {
      Ask("approval") { (amount: Int) in Approval(amount: amount) }
      Ask("confirmation") { (amount: Int) in Transfer(amount: amount) }
    }
  }

  static func approve(_ coordinator: FlowCoordinator) async throws {
    let manager = Principal(id: "ada", roles: ["manager"])
    try await coordinator.answer(Approval.self, with: 100, by: manager)
  }

  static func approve(_ seen: Question, of coordinator: FlowCoordinator, as user: Principal) async throws {
    guard let approval = seen.prompt as? Approval else { return }
    try await coordinator.answer(seen.id, with: approval.amount, by: user, revision: seen.revision)
  }

  static func redirected(
    _ seen: Question, _ amount: Int, of coordinator: FlowCoordinator, as user: Principal
  ) async throws -> String? {
    do {
      try await coordinator.answer(seen.id, with: amount, by: user, revision: seen.revision)
    } catch let error as FlowError where !error.openQuestions.isEmpty {
      return error.openQuestions.first.map { "/\($0.id.flow)/\($0.step)/\($0.id.number)?revision=\($0.revision)" }
    }
    return nil
  }

  actor ApprovalStep: FlowStep {
    private let amounts: AsyncStream<Int>
    init(amounts: AsyncStream<Int>) { self.amounts = amounts }

    func proceed(_ amount: Int, context: StepContext) async throws -> Int {
      try await context.ask(Approval(amount: amount), updates: amounts.map { Approval(amount: $0) })
    }
    func backUp(context: RollbackContext) {}
  }

  struct TopicForm: Prompt {
    typealias Answer = String
    var topic: String
  }

  actor SurveyStep: FlowStep {
    func proceed(_ topics: [String], context: StepContext) async throws -> [String] {
      var answers: [String] = []
      for topic in topics {
        answers.append(try await context.ask(TopicForm(topic: topic), key: topic))
      }
      return answers
    }
    func backUp(context: RollbackContext) {}
  }
}

@Suite("Article: prompts") struct PromptSnippetTests {
  typealias Code = PromptSnippets

  @Test("a principal without the role is refused, a changed prompt makes an answer stale, the right answer is accepted")
  func approving() async throws {
    let (amounts, next) = AsyncStream.makeStream(of: Int.self)
    let flow = Flow { Step { Code.ApprovalStep(amounts: amounts) } }
    let result = try await running(flow, with: 100) { coordinator in
      let seen = try #require(try await coordinator.settled().questions.first)
      await #expect(throws: Code.NotAllowed()) {
        try await Code.approve(seen, of: coordinator, as: Principal(id: "bob"))
      }
      let ada = Principal(id: "ada", roles: ["manager"])
      await #expect(throws: Code.TooMuch()) { try await coordinator.answer(seen.id, with: 101, by: ada) }
      next.yield(200)
      for await event in coordinator.events {
        if case .updated = event.change { break }
      }
      let error = await #expect(throws: FlowError.self) { try await Code.approve(seen, of: coordinator, as: ada) }
      #expect(error?.code == .staleRevision)
      try await Code.approve(coordinator)
    }
    #expect(try result.get() == 100)
  }

  @Test("each guard is tested in one line")
  func guards() async throws {
    typealias Approval = Code.Approval
    try await expectRefusal(ofPrincipal: nil, by: Approval(amount: 100))
    try await expectRefusal(ofAnswer: 101, by: Approval(amount: 100))
    let anonymous = try await expectRefusal(ofPrincipal: nil, by: Code.Transfer(amount: 100)) as? FlowError
    #expect(anonymous?.code == .principalNeeded)
    try await expectRefusal(ofPrincipal: Principal(id: "bob"), by: Code.Transfer(amount: 100))
  }

  @Test("one step may ask several questions, one after the other")
  func survey() async throws {
    let result = try await running(Flow { Step(Code.SurveyStep.init) }, with: ["tea", "cake"]) {
      for answer in ["green", "none"] {
        _ = try await $0.settled()
        try await $0.answer(Code.TopicForm.self, with: answer)
      }
    }
    #expect(try result.get() == ["green", "none"])
  }
}

/// Returns the status of an HTTP response to an answer.
func status(of answer: () async throws -> Void) async -> Int {
  do {
    try await withRefusals { try await answer() }
    return 200
  } catch let refusal as Refusal {
    return refusal.httpStatus
  } catch let error as FlowError {
    return error.code.httpStatus
  } catch {
    return 500
  }
}
