import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The code of the article about operators, compiled and run.

@Suite("Snippets of operators", .timeLimit(.minutes(15))) struct OperatorSnippets {
  @Test("an operator notes and completes")
  func operated() async throws {
    let approval = Flow("approval") { Step("decide", ApprovalStep.init) }
    try await testHost(exhaustive: false) { tester in
      let approvals = try await tester.deploy(approval)
      try await approvals.start(id: "expense-17", with: Expense(purpose: "train", cents: 9_000))
      try await tester.settle()
      let host = tester.host
      let cleo = Principal(id: "cleo")
      let flow = host.flow("expense-17")
      try await flow.note("the receipt came by mail", by: cleo)
      try await flow.complete(
        "decide", output: #"{"cents":9000,"by":"ann"}"#.utf8, reason: "ann approved by phone", by: cleo)
      try await tester.settle()
      #expect(try await tester.view(of: "expense-17").status == .finished)
      guard case .finished(let sealed) = try await approvals.outcome(of: "expense-17") else {
        Issue.record("not finished")
        return
      }
      #expect(sealed == Sealed(cents: 9_000, by: "ann"))
    }
  }
}

extension OperatorSnippets {
  struct Bill: Codable, Hashable, Sendable { var cents: Int }

  @Test("an operator retries many flows")
  func retried() async throws {
    let isDown = Variable(true)
    let approval = Flow<String, String>("approval") {
      Step("mail") { (input: String, _: StepContext) in
        if isDown.value { throw Boom() }
        return input
      }
    }
    try await testHost(exhaustive: false) { tester in
      let approvals = try await tester.deploy(approval)
      for id in ["a", "b", "c"] as [FlowID] { try await approvals.start(id: id, with: "-") }
      try await tester.settle()
      isDown.value = false
      let host = tester.host
      let cleo = Principal(id: "cleo")
      var cursor: String?
      var failed: [FlowID] = []
      repeat {
        let report = try await host.each(
          FlowQuery(definition: "approval", status: [.suspended]), by: cleo, after: cursor, limit: 500
        ) { flow in
          try await flow.retry(reason: "the mail server is back", key: "incident-42")
        }
        failed += report.failed.map(\.flow)
        cursor = report.cursor
      } while cursor != nil
      try await tester.settle()
      #expect(failed.isEmpty)
      for id in ["a", "b", "c"] as [FlowID] { #expect(try await tester.view(of: id).status == .finished) }
    }
  }

  @Test("an operator purges many flows")
  func purged() async throws {
    let approval = Flow<String, String>("approval") { Step("ask") { Asker() } }
    try await testHost(exhaustive: false) { tester in
      let approvals = try await tester.deploy(approval)
      for id in ["a", "b", "c"] as [FlowID] { try await approvals.start(id: id, with: "-") }
      try await tester.settle()
      let host = tester.host
      for id in ["a", "b"] as [FlowID] { try await host.flow(id).abandon() }
      try await tester.settle()
      try await tester.advance(by: .seconds(60))
      let (time, cleo) = (tester.clock.now, Principal(id: "cleo"))
      let ended = FlowQuery(status: [.finished, .abandoned], changedBefore: time)
      let report = try await host.each(ended, by: cleo) { flow in
        try await flow.purge(endedBefore: time, reason: "older than a year")
      }
      #expect(report.done == ["a", "b"] && report.isComplete)
      #expect(try await host.list().flows.map(\.id) == ["c"])
    }
  }

  @Test("an operator enters a step anew")
  func entered() async throws {
    let order = Flow<Bill, String>("order") {
      Step("payment") { (bill: Bill, context: StepContext) in
        let key = try await context.once("charge") { $0 }
        return "\(bill.cents) \(try await context.ask(Form(text: key)))"
      }
    }
    try await testHost(exhaustive: false) { tester in
      let orders = try await tester.deploy(order)
      try await orders.start(id: "order-1", with: Bill(cents: 1_000))
      let first = try await tester.question(Form.self, of: "order-1").prompt.text
      let host = tester.host
      let cleo = Principal(id: "cleo")
      try await host.flow("order-1").enter(
        "payment", input: #"{"cents":900}"#.utf8, reason: "the discount was missing", by: cleo)
      #expect(try await tester.question(Form.self, of: "order-1").prompt.text != first, "another idempotency key")
      try await tester.answer(Form.self, of: "order-1", with: "paid")
      #expect(try await tester.view(of: "order-1").output == Array(#""900 paid""#.utf8))
    }
  }
}

extension OperatorSnippets {
  @Test("a customer starts an order, sees it and changes it, no other customer does, and the staff may do all")
  func guarded() async throws {
    var options = FlowHost.Options()
    options.access = { verb, principal, flow in
      if principal?.roles.contains("staff") == true { return }
      guard let principal else { throw Refusal.notAllowed("please sign in") }
      switch verb {
      case .request(.start): return
      case .look, .request(.answer), .request(.backUp), .request(.abandon):
        guard flow?.labels["customer"] == principal.id else { throw Refusal.notAllowed("this order is not yours") }
      default: throw Refusal.notAllowed("only staff may do this")
      }
    }
    let host = try FlowHost(store: MemoryFlowStore(), owner: "a", options: options)
    let orders = try await host.register(Flow<String, String>("order") { Step("ask") { Asker() } })
    let (ann, eve) = (Principal(id: "ann"), Principal(id: "eve"))
    let cleo = Principal(id: "cleo", roles: ["staff"])
    await #expect(throws: Refusal.self) { try await orders.start(id: "order-16", with: "-") }
    try await orders.start(id: "order-17", with: "-", labels: ["customer": "ann"], by: ann)
    _ = try await host.flow("order-17", by: ann).settled()
    #expect(try await host.flow("order-17", by: ann).view().labels == ["customer": "ann"])
    await #expect(throws: Refusal.self) { try await host.flow("order-17", by: eve).view() }
    await #expect(throws: Refusal.self) { try await host.flow("order-17").view() }
    await #expect(throws: Refusal.self) { try await host.flow("order-17", by: eve).abandon() }
    await #expect(throws: Refusal.self) { try await host.flow("order-17", by: ann).retry(reason: "now") }
    try await host.flow("order-17", by: cleo).note("called")
    try await host.flow("order-17", by: ann).abandon()
    // An order of no customer is not that of a caller without a name.
    try await orders.start(id: "order-18", with: "-", by: cleo)
    await #expect(throws: Refusal.self) { try await host.flow("order-18").abandon() }
  }
}

private enum Assigning {
  struct Approval: AssignedPrompt, ReassignablePrompt, Codable {
    struct Answer: Codable, Sendable { var isApproved: Bool }
    var assignees: [String]
    var due: Date? { nil }

    func authorize(_ principal: Principal) throws {
      guard assignees.contains(principal.id) else { throw Refusal.notAllowed("another person is asked") }
    }
  }
}
