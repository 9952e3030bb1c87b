import ActorFlow
import Testing

/// The code in the doc comments of the components.
private enum ComponentSnippets {
  struct Cart: Sendable {
    var isComplete = true
  }
  struct Credit: Sendable {}
  struct Identity: Sendable {}
  struct Checks: Sendable {
    var credit: Credit
    var identity: Identity
  }
  enum Vote: Sendable { case yes, no }
  struct Order: Sendable {
    var cart = Cart()
    var approvers: [String] = []
  }

  actor ItemStep: FlowStep {
    func proceed(_ cart: Cart, context: StepContext) -> Cart { cart }
    func backUp(context: RollbackContext) {}
  }
  actor CreditStep: FlowStep {
    func proceed(_ order: Order, context: StepContext) -> Credit { Credit() }
    func backUp(context: RollbackContext) {}
  }
  actor IdentityStep: FlowStep {
    func proceed(_ order: Order, context: StepContext) -> Identity { Identity() }
    func backUp(context: RollbackContext) {}
  }
  actor QuoteStep: FlowStep {
    private let provider: String
    init(provider: String) { self.provider = provider }
    func proceed(_ order: Order, context: StepContext) -> String { provider }
    func backUp(context: RollbackContext) {}
  }
  actor ApprovalStep: FlowStep {
    func proceed(_ approver: String, context: StepContext) -> Vote { .yes }
    func backUp(context: RollbackContext) {}
  }

  static var looping: Flow<Cart, Order> {
    let shopping = Loop {
      Step("item", ItemStep.init)
      Step("more") { (cart: Cart) in
        cart.isComplete ? Again<Cart, Order>.done(Order(cart: cart)) : .again(cart)
      }
    }
    return shopping.flow
  }

  static var checking: Flow<Order, Checks> {
    let checks = Parallel {
      Step("credit", CreditStep.init)
      Step("identity", IdentityStep.init)
    } join: { (credit: Credit, identity: Identity) in
      Checks(credit: credit, identity: identity)
    }
    return checks.flow
  }

  static func racing(nearby: String, abroad: String) -> Flow<Order, String> {
    let quote = Race {
      Step("nearby") { QuoteStep(provider: nearby) }
      Step("abroad") { QuoteStep(provider: abroad) }
    }
    return quote.flow
  }

  static var approving: Flow<Order, Bool> {
    let approval = ForEach({ (order: Order) in order.approvers }) {
      Step("approve", ApprovalStep.init)
    } until: { votes, open in
      if votes.contains(.no) { return .done(false) }
      return votes.count >= 2 || open == 0 ? .done(true) : .goOn
    }
    return approval.flow
  }
}

@Suite("Doc comments: components") struct ComponentSnippetTests {
  @Test("the components of the doc comments have the documented steps")
  func steps() {
    #expect(ComponentSnippets.looping.steps == ["item", "more"])
    #expect(ComponentSnippets.checking.steps == ["parallel/credit", "parallel/identity"])
    #expect(ComponentSnippets.racing(nearby: "a", abroad: "b").steps == ["race/nearby", "race/abroad"])
    #expect(ComponentSnippets.approving.steps == ["each/*/approve"])
  }
}
