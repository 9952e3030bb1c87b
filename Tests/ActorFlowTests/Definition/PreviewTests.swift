import ActorFlow
import Testing

@Suite("Destinations of values") struct PreviewTests {
  private func lead(_ after: StepID, _ value: String) throws -> String {
    "\(try Raw.shop.destination(after: after, for: value))"
  }

  @Test("SF-32 the definition returns the destination of a value, and runs no step")
  func beginning() throws {
    let trace = Trace()
    let flow = Flow("shop") {
      Step("cart") { Automatic(trace) }
      Step("pay") { Automatic(trace) }
    }
    #expect(try flow.destination(for: "x") == .step("shop/cart"))
    #expect(try flow.destination(after: "cart", for: "x") == .step("shop/pay"))
    #expect(try flow.destination(after: "shop/pay", for: "x") == .end)
    #expect(trace.all == [])
  }

  @Test("SF-32 a choice leads by the value, a loop back or on, a hub's side branch to its menu")
  func branching() throws {
    #expect(try lead("cart", "guest Ann") == "shop/guest/email")
    #expect(try lead("cart", "member Bo") == "shop/member/account/login")
    #expect(try lead("cart", "?") == "shop/sign-up")
    #expect(try lead("confirm", "short") == "shop/scan")
    #expect(try lead("confirm", "long enough") == "shop/menu")
    #expect(try lead("card", "x") == "shop/menu")
    #expect(try lead("print", "out") == "shop/payment/authorize")
  }

  @Test("SF-32 a fork leads to all its branches, the last step of a branch to their join")
  func forks() throws {
    #expect(try lead("menu", "pay") == "shop/checks: shop/checks/credit, shop/checks/1")
    #expect(try lead("stock", "x") == "shop/checks/1/reserve")
    #expect(try lead("reserve", "x") == "join of shop/checks")
    #expect(try lead("race", "ab") == "shop/approvals: shop/approvals/0, shop/approvals/1")
  }

  @Test("SF-32 below a branch for each element the destination has the given element's number")
  func elements() throws {
    #expect(try lead("shop/approvals/12/ask", "x") == "shop/approvals/12/sign")
    #expect(try lead("ask", "x") == "shop/approvals/*/sign")
    #expect(try lead("sign", "x") == "join of shop/approvals")
  }

  @Test("SF-32 a value that an earlier step in a router receives as its update leads back to it")
  func update() throws {
    // Any text is an update here, so the basket itself would receive it, had it not made it.
    let flow = Flow<String, String>(
      segments: [
        Step("basket") { Basket() }.flow.segments,
        Raw.router([("box", Raw.step("pack")), ("out", Flow(segments: []))], leaving: [1]).segments,
      ].flatMap(\.self))
    #expect(try flow.destination(after: "pack", for: "voucher") == .update("basket"))
    #expect(try flow.destination(after: "basket", for: "box") == .step("box/pack"))
  }

  @Test("an unknown step: the error names the id and similar names")
  func unknownStep() throws {
    let error = #expect(throws: FlowError.self) { try lead("shop/crat", "x") }
    #expect(error?.code == .noSuchStep)
    #expect(error?.message == #"the flow has no step "shop/crat"; did you mean "shop/cart"?"#)
    let far = #expect(throws: FlowError.self) { try Raw.step("a").destination(after: "completely", for: "x") }
    #expect(far?.message == #"the flow has no step "completely"; there are "a""#)
    let none = #expect(throws: FlowError.self) { try TextFlow(segments: []).destination(after: "a", for: "x") }
    #expect(none?.message == #"the flow has no step "a"; it has no steps"#)
  }

  @Test("several steps of one name: the error names them all; a whole path is one step")
  func ambiguous() throws {
    let flow = Flow {
      Raw.step("a")
      Flow("in") { Raw.step("b") }
      Flow("out") {
        Raw.step("b"); Raw.step("a")
      }
    }
    let error = #expect(throws: FlowError.self) { try flow.destination(after: "b", for: "x") }
    #expect(error?.code == .noSuchStep)
    #expect(error?.message == #"the flow has 2 steps called "b": "in/b", "out/b"; name one by its path"#)
    #expect(try flow.destination(after: "in/b", for: "x") == .step("out/b"))
    #expect(try flow.destination(after: "a", for: "x") == .step("in/b"), "a whole path, though others end so")
  }

  @Test("a value of another type: the error names both; an unmatched value and a closure's error are thrown as well")
  func mismatches() throws {
    let error = #expect(throws: FlowError.self) { try Raw.step("a").destination(after: "a", for: 17) }
    #expect(error?.code == .typeMismatch)
    #expect(error?.step == "a")
    #expect(error?.message == "the step returns String, not a value of type Int")

    let choice = Raw.choose([("yes", Raw.step("a"))])
    let unmatched = #expect(throws: FlowError.self) { try choice.destination(for: "no") }
    #expect(unmatched?.code == .noMatchingCase)

    let throwing = Step("a") { (input: String) in input }.map { _ -> String in throw Refused() }
    #expect(throws: Refused.self) { try throwing.destination(after: "a", for: "x") }
  }
}

private actor Basket: ReceivingStep {
  func proceed(_ input: String, context: StepContext) async throws -> String { input }
  func receive(_ update: String) {}
  func backUp(context: RollbackContext) {}
}
