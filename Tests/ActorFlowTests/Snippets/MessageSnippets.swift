import ActorFlow
import ActorFlowTesting
import Testing

/// The code in the doc comments of signals, deadlines and updates, with tests of the documented behaviour.
@Suite("Messages, as documented") struct MessageSnippets {
  struct Voucher: Sendable {}
  struct Basket: Sendable {}
  struct Order: Sendable, Equatable {
    var hasVoucher: Bool
  }

  struct BasketForm: Prompt {
    typealias Answer = Order
    let basket: Basket
    let voucher: Voucher?
  }

  actor BasketStep: ReceivingStep {
    private var voucher: Voucher?

    func receive(_ voucher: Voucher) { self.voucher = voucher }

    func proceed(_ basket: Basket, context: StepContext) async throws -> Order {
      try await context.ask(BasketForm(basket: basket, voucher: voucher))
    }

    func backUp(context: RollbackContext) {}
  }

  @Test("a later step sends the voucher back; the basket asks again and shows it")
  func update() async throws {
    let flow = Flow("f") {
      Step("basket", BasketStep.init)
      Step("voucher") { (order: Order, context: StepContext) -> Order in
        if !order.hasVoucher { try await context.backUp(to: BasketStep.self, delivering: Voucher()) }
        return order
      }
    }
    let run = launch(flow, with: Basket())
    for _ in 1...2 {
      let position = try await run.coordinator.settled()
      let form = try #require(position.questions.first?.prompt as? BasketForm)
      try await run.coordinator.answer(BasketForm.self, with: Order(hasVoucher: form.voucher != nil))
    }
    #expect(try await run.result.get() == Order(hasVoucher: true))
  }

  struct CheckResult: Sendable, Equatable {}

  @Test("a signal reaches the step that waits, once for its key")
  func signal() async throws {
    let checks = Signal<CheckResult>("provider.check")
    let flow = Flow("f") {
      Step("check") { (_: Void, context: StepContext) -> CheckResult in
        let result = try await context.wait(for: checks)  // in a step
        return result
      }
    }
    let run = launch(flow, with: ())
    let (coordinator, result) = (run.coordinator, CheckResult())
    let position = try await coordinator.settled()
    #expect(position.waits.map(\.signal) == ["provider.check"])
    try await coordinator.send(result, to: checks, key: "evt-17")  // where the message arrives
    #expect(try await run.result.get() == result)
    #expect(try await coordinator.send(result, to: checks, key: "evt-18") == .flowEnded)
  }

  struct BankResult: Sendable {
    var payment: String
    var isPaid: Bool
  }

  struct CancelPayment: Prompt {
    typealias Answer = Bool
  }

  enum Payment: Sendable, Equatable { case paid, refused, cancelled, late }

  @Test("only the result of this payment is received")
  func matching() async throws {
    let bankResult = Signal<BankResult>("bank.result")
    let flow = Flow("f") {
      Step("result") { (payment: String, context: StepContext) -> Bool in
        let result = try await context.wait(for: bankResult, matching: { $0.payment == payment })
        return result.isPaid
      }
    }
    let run = launch(flow, with: "2")
    try await run.coordinator.settled()
    try await run.coordinator.send(BankResult(payment: "1", isPaid: true), to: bankResult)
    try await run.coordinator.send(BankResult(payment: "2", isPaid: false), to: bankResult)
    #expect(try await run.result.get() == false)
  }

  @Test(
    "the bank's result, or the customer's cancellation", arguments: [Payment.paid, .refused, .cancelled])
  func first(_ outcome: Payment) async throws {
    let bankResult = Signal<BankResult>("bank.result")
    let flow = Flow("f") {
      Step("bank") { (payment: String, context: StepContext) -> Payment in
        let first = try await context.first(
          of: CancelPayment(), or: bankResult, matching: { $0.payment == payment }, within: .seconds(600))
        switch first {
        case .received(let result): return result.isPaid ? .paid : .refused
        case .answered: return .cancelled
        case nil: return .late
        }
      }
    }
    let run = launch(flow, with: "2")
    try await run.coordinator.settled()
    try await run.coordinator.send(BankResult(payment: "1", isPaid: true), to: bankResult)
    if outcome == .cancelled {
      try await run.coordinator.answer(CancelPayment.self, with: true)
    } else {
      try await run.coordinator.send(BankResult(payment: "2", isPaid: outcome == .paid), to: bankResult)
    }
    #expect(try await run.result.get() == outcome)
  }

  struct ContractForm: Prompt {
    typealias Answer = String
  }

  actor Post {
    private(set) var reminders = 0
    func remind(_ customer: String) { reminders += 1 }
  }

  @Test("an assignee who does not sign is reminded three times, and the question ends after four days")
  func deadline() async throws {
    let (clock, post, customer) = (ManualClock(), Post(), "Ada")
    let flow = Flow("f") {
      Step("contract") { (_: Void, context: StepContext) -> String in
        let signed = try await context.ask(
          ContractForm(), within: .seconds(345_600),
          reminding: .every(.seconds(86_400), max: 3) { number in
            try await context.once("reminder-\(number)") { _ in await post.remind(customer) }
          })
        return signed ?? "not signed"
      }
    }
    let run = launch(flow, with: (), on: FlowCoordinator(clock: clock))
    _ = try await run.coordinator.settled()
    for day in 1...4 {
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(86_400))
      while await post.reminders < min(day, 3) { await Task.yield() }
    }
    #expect(try await run.result.get() == "not signed")
    #expect(await post.reminders == 3)
  }
}
