import ActorFlow
import ActorFlowTesting
import Testing

/// The code that shows replies, attempts, refusals and recorded times.
enum ReplyingSnippets {
  struct Order: Codable, Sendable { var total: Int }
  struct Card: Codable, Sendable { var number: String }
  struct Receipt: Codable, Sendable, Equatable { var paid: Int }
  struct CardForm: Prompt, Codable {
    typealias Answer = Card
    var order: Order
    var refused: String?
  }
  struct Offline: Error {}
  actor Gateway {
    private var isOnline = false
    func charge(_ card: Card, _ total: Int, idempotencyKey: String) throws -> Receipt {
      defer { isOnline = true }
      guard isOnline else { throw Offline() }
      return Receipt(paid: total)
    }
    func void(idempotencyKey: String) {}
    func refund(_ receipt: Receipt) {}
  }

  actor CardStep: FlowStep {
    private let gateway: Gateway
    init(_ gateway: Gateway) { self.gateway = gateway }

    func proceed(_ order: Order, context: StepContext) async throws -> Receipt {
      var refused: String?
      for number in 1...3 {
        let card = try await context.ask(CardForm(order: order, refused: refused))
        let charge = try await context.attempt("card-\(number)") { [gateway] key in
          try await gateway.charge(card, order.total, idempotencyKey: key)
        }
        switch charge {
        case .made(let receipt): return receipt
        case .failed(let error): refused = error.message
        }
      }
      throw Refusal.notAllowed("no card was accepted")
    }

    func backUp(context: RollbackContext) async throws {
      for number in 1...3 {
        switch await context.record("card-\(number)", as: Receipt.self) {
        case .none: break
        case .done(let receipt): try await context.once("refund") { [gateway] _ in await gateway.refund(receipt) }
        case .interrupted(let key): await gateway.void(idempotencyKey: key)  // failed, or its outcome is not known
        }
      }
    }
  }

  struct Decision: Codable, Sendable, Equatable { var isApproved: Bool }
  struct Approval: Prompt, Codable {
    typealias Answer = Decision
  }

  struct SecondApproval: Prompt {
    typealias Answer = Decision
    let first: Principal?

    func authorize(_ principal: Principal, answering decision: Decision) throws {
      guard principal.id != first?.id || !decision.isApproved else {
        throw Refusal.notAllowed("a second manager has to approve")
      }
    }
  }

  actor ApprovalStep: FlowStep {
    func proceed(_ order: Order, context: StepContext) async throws -> Bool {
      let first = try await context.reply(to: Approval())
      guard first.answer.isApproved else { return false }
      return try await context.ask(SecondApproval(first: first.by)).isApproved
    }
    func backUp(context: RollbackContext) {}
  }

  struct Address: Sendable { var street: String }
  struct AddressForm: Prompt {
    typealias Answer = Address
    func validate(_ address: Address) throws {
      if address.street.isEmpty { throw Refusal.invalid("the street is missing", field: "street", code: "missing") }
    }
  }
}

@Suite("Replies, attempts and refusals in the documentation") struct ReplyingSnippetTests {
  typealias Code = ReplyingSnippets

  @Test("the second card pays after the first one has failed")
  func cards() async throws {
    let gateway = Code.Gateway()
    let flow = Flow { Step("card") { Code.CardStep(gateway) } }
    let result = try await running(flow, with: Code.Order(total: 7)) { coordinator in
      for number in 1...2 {
        let form = try await coordinator.settled().questions.first?.prompt as? Code.CardForm
        #expect(form?.refused == (number == 1 ? nil : "Offline()"))
        try await coordinator.answer(Code.CardForm.self, with: Code.Card(number: "\(number)"))
      }
    }
    #expect(try result.get() == Code.Receipt(paid: 7))
  }

  @Test("the same manager is refused the second approval, and may decline")
  func managers() async throws {
    let flow = Flow { Step("approval") { Code.ApprovalStep() } }
    let (ada, bob) = (Principal(id: "ada"), Principal(id: "bob"))
    let yes = Code.Decision(isApproved: true)
    for second in [(ada, Code.Decision(isApproved: false)), (bob, yes)] {
      let result = try await running(flow, with: Code.Order(total: 7)) { coordinator in
        _ = try await coordinator.settled()
        try await coordinator.answer(Code.Approval.self, with: yes, by: ada)
        _ = try await coordinator.settled()
        await #expect(throws: Refusal.notAllowed("a second manager has to approve")) {
          try await coordinator.answer(Code.SecondApproval.self, with: yes, by: ada)
        }
        let anonymous = await code { try await coordinator.answer(Code.SecondApproval.self, with: yes) }
        #expect(anonymous == .principalNeeded)
        try await coordinator.answer(Code.SecondApproval.self, with: second.1, by: second.0)
      }
      #expect(try result.get() == second.1.isApproved)
    }
  }

  @Test("the same manager is refused without a flow, too")
  func expectation() async throws {
    let (ada, yes) = (Principal(id: "ada"), Code.Decision(isApproved: true))
    let id = try #require(Question.ID("f/1/1"))
    let reply = Reply(answer: yes, by: ada, at: FlowTime(sinceStart: .zero), revision: 1, question: id)
    typealias SecondApproval = Code.SecondApproval
    try await expectRefusal(ofAnswer: yes, of: ada, by: SecondApproval(first: reply.by))
    try await expectRefusal(ofAnswer: yes, of: nil, by: SecondApproval(first: reply.by))
    await #expect(throws: FlowTestFailure.self) {
      try await expectRefusal(ofAnswer: yes, of: Principal(id: "bob"), by: SecondApproval(first: reply.by))
    }
  }

  @Test("a refusal names the field")
  func refusal() async throws {
    let refusal = Refusal.invalid("the street is missing", field: "street", code: "missing")
    #expect(throws: refusal) { try Code.AddressForm().validate(Code.Address(street: "")) }
    #expect(refusal.kind == .invalid && "\(refusal)" == "street: the street is missing")
  }
}
