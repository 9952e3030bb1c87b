import ActorFlow
import Testing

/// The code in the doc comments of the choosing components.
private enum ChoiceSnippets {
  struct Guest: Sendable {
    var name: String
  }
  struct Member: Sendable {
    var number: Int
  }
  enum Visitor: Sendable {
    case guest(Guest)
    case member(Member)
    case robot
    var guest: Guest? { if case .guest(let guest) = self { guest } else { nil } }
    var member: Member? { if case .member(let member) = self { member } else { nil } }
  }
  struct Order: Sendable {
    var address = ""
    var carrier = ""
  }
  struct MenuChoice: Sendable {
    var address: Order?
    var carrier: Order?
    var order: Order?
  }

  actor SignUpStep: FlowStep {
    func proceed(_ guest: Guest, context: StepContext) -> String { "Welcome, \(guest.name)" }
    func backUp(context: RollbackContext) {}
  }
  actor WelcomeStep: FlowStep {
    func proceed(_ member: Member, context: StepContext) -> String { "Welcome back, \(member.number)" }
    func backUp(context: RollbackContext) {}
  }
  actor MenuStep: FlowStep {
    func proceed(_ order: Order, context: StepContext) -> MenuChoice { MenuChoice(order: order) }
    func backUp(context: RollbackContext) {}
  }
  actor AddressStep: FlowStep {
    func proceed(_ order: Order, context: StepContext) -> Order { order }
    func backUp(context: RollbackContext) {}
  }
  actor CarrierStep: FlowStep {
    func proceed(_ order: Order, context: StepContext) -> Order { order }
    func backUp(context: RollbackContext) {}
  }

  static var routing: Flow<OneOf2<Guest, Member>, String> {
    let greeting = Route {
      When(Guest.self) { Step("sign up", SignUpStep.init) }
      When(Member.self) { Step("welcome", WelcomeStep.init) }
    }
    return greeting.flow
  }

  static var switching: Flow<Visitor, String> {
    let checkout = Switch {
      Case("guest", { (visitor: Visitor) in visitor.guest }) { Step("sign up", SignUpStep.init) }
      Case("member", { (visitor: Visitor) in visitor.member }) { Step("welcome", WelcomeStep.init) }
      Otherwise { Step("turn away") { (visitor: Visitor) in "Sorry" } }
    }
    return checkout.flow
  }

  static var choosing: Flow<Order, Order> {
    let editing = Hub(Step("menu", MenuStep.init)) {
      Case("address", { (choice: MenuChoice) in choice.address }) { Step("address", AddressStep.init) }
      Case("carrier", { (choice: MenuChoice) in choice.carrier }) { Step("carrier", CarrierStep.init) }
    } done: { choice in
      choice.order
    }
    return editing.flow
  }
}

@Suite("Doc comments: choices") struct ChoiceSnippetTests {
  @Test("the choices of the doc comments lead to the documented steps")
  func choices() async throws {
    typealias Code = ChoiceSnippets
    #expect(try await FlowCoordinator().run(Code.routing, with: .first(Code.Guest(name: "Ann"))) == "Welcome, Ann")
    #expect(
      try await FlowCoordinator().run(Code.switching, with: .member(Code.Member(number: 7))) == "Welcome back, 7")
    #expect(try await FlowCoordinator().run(Code.switching, with: .robot) == "Sorry")
    #expect(Code.choosing.steps == ["menu", "address/address", "carrier/carrier"])
  }
}

/// The code in the doc comment of the router.
private enum RouterSnippets {
  struct Complaint: Sendable {}
  struct Refund: Sendable {}
  struct Repair: Sendable {}
  struct Solution: Sendable {}

  actor TriageStep: FlowStep {
    func proceed(_ complaint: Complaint, context: StepContext) -> OneOf2<Refund, Repair> { .first(Refund()) }
    func backUp(context: RollbackContext) {}
  }
  actor RefundStep: FlowStep {
    func proceed(_ refund: Refund, context: StepContext) -> Solution { Solution() }
    func backUp(context: RollbackContext) {}
  }
  actor RepairStep: FlowStep {
    func proceed(_ repair: Repair, context: StepContext) -> Solution { Solution() }
    func backUp(context: RollbackContext) {}
  }

  static func routing() throws -> Flow<Complaint, Solution> {
    let support = try TypeRouter(start: Complaint.self, end: Solution.self) {
      Step("triage", TriageStep.init)
      Step("refund", RefundStep.init)
      Step("repair", RepairStep.init)
    }
    return support.flow
  }

  struct Thanks: Sendable {}
  struct Report: Sendable {}

  actor AnswerStep: FlowStep {
    func proceed(_ value: OneOf2<Refund, Report>, context: StepContext) -> OneOf2<Thanks, Solution> {
      if case .first = value { .second(Solution()) } else { .first(Thanks()) }
    }
    func backUp(context: RollbackContext) {}
  }

  static func answering() throws -> Flow<Complaint, OneOf2<Thanks, Solution>> {
    let support = try TypeRouter(start: Complaint.self, end: OneOf2<Thanks, Solution>.self) {
      Step("triage", TriageStep.init)
      Step("inspect") { (repair: Repair) in Report() }
      Step("answer", AnswerStep.init)  // takes a OneOf2<Refund, Report>: a refund of "triage", a report of "inspect"
    }
    return support.flow
  }
}

@Suite("Doc comments: router") struct RouterSnippetTests {
  @Test("the router of the doc comment has a path for each type")
  func routing() throws {
    #expect(try RouterSnippets.routing().steps == ["triage", "refund", "repair"])
  }

  @Test("the router of the article enters one step with several types")
  func answering() async throws {
    let output = try await FlowCoordinator().run(RouterSnippets.answering(), with: RouterSnippets.Complaint())
    guard case .second = output else { throw Refused() }
  }
}
