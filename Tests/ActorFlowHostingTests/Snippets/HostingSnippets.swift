import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The code of the articles about hosting, compiled and run.

struct Expense: Codable, Sendable {
  var purpose: String
  var cents: Int
}

struct Sealed: Codable, Sendable, Equatable {
  var cents: Int
  var by: String
}

struct Decision: AssignedPrompt, Codable {
  struct Answer: Codable, Sendable {
    var isApproved: Bool
  }

  let expense: Expense
  var assignees: [String]
  var due: Date? { nil }

  func authorize(_ principal: Principal?) throws {
    guard let principal, assignees.contains(principal.id) else { throw NotYours() }
  }
}

struct NotYours: Error {}

/// A number of some metrics library.
final class Metric: Sendable {
  private let number = Lock(0)
  func increment() { number.withLock { $0 += 1 } }
  var value: Int { number.withLock { $0 } }
}

final class Failures: HostObserver {
  private let counter: Metric
  init(_ counter: Metric) { self.counter = counter }
  func observe(_ event: HostEvent) {
    if case .suspended = event.kind { counter.increment() }
  }
}

/// A tracer of some tracing library.
struct Tracer: Sendable {
  @TaskLocal static var span = ""

  func withSpan(_ name: String, flow: FlowID, _ work: () async throws -> Void) async throws {
    try await Self.$span.withValue("\(flow): \(name)") { try await work() }
  }
}

struct Tracing: StepObserver {
  let tracer: Tracer
  func observe(_ event: HostEvent) {}
  func around(_ step: ObservedStep, _ body: nonisolated(nonsending) () async throws -> Void) async throws {
    try await tracer.withSpan("\(step.step)", flow: step.flow) { try await body() }
  }
}

extension Tracing: EffectObserver {
  func around(_ effect: ObservedEffect, _ body: nonisolated(nonsending) () async throws -> Void) async throws {
    try await tracer.withSpan("effect \(effect.key)", flow: effect.flow) { try await body() }
  }
}

struct Rejected: Error {}

actor ApprovalStep: FlowStep {
  func proceed(_ expense: Expense, context: StepContext) async throws -> Sealed {
    let decision = try await context.ask(Decision(expense: expense, assignees: ["ann"]))
    guard decision.isApproved else { throw Rejected() }
    return Sealed(cents: expense.cents, by: "ann")
  }
  func backUp(context: RollbackContext) {}
}

private struct BasketStep: RenderedStep {
  enum Change: Codable, Sendable { case add(String), take(item: String, count: Int), done }
  struct Content: Prompt, Codable {
    typealias Answer = Change
    var items: [String]
  }

  func makeState() -> [String] { [] }
  func apply(_ change: Change, to items: inout [String]) -> [String]? {
    switch change {
    case .add(let item): items.append(item)
    case .take(let item, let count): items += Array(repeating: item, count: count)
    case .done: return items
    }
    return nil
  }
  func render(_ items: [String], in scope: inout RenderScope<BasketStep>) -> Content { Content(items: items) }
}

struct CardForm: Prompt, Codable {
  typealias Answer = String
}

private struct Receipt: Codable, Sendable, Equatable {
  var card: String
}

/// A provider whose network fails this many times.
private actor Bank {
  struct Unreachable: Error {}
  private(set) var log: [String] = []
  private var failures: Int
  init(failures: Int) { self.failures = failures }
  func charge(_ card: String, key: String) throws -> Receipt {
    failures -= 1
    log.append("\(failures < 0 ? "charged" : "could not charge") \(card)")
    if failures >= 0 { throw Unreachable() }
    return Receipt(card: card)
  }
  func refund(_ receipt: Receipt) { log.append("refunded \(receipt.card)") }
  /// A key ends with the name of the effect and the run's bits.
  func void(key: String) { log.append("voided \(key.split(separator: "/").dropLast().last ?? "")") }
}

private enum Throwing {
  actor CardStep: FlowStep {
    private let bank: Bank
    init(_ bank: Bank) { self.bank = bank }

    func proceed(_ cents: Int, context: StepContext) async throws -> Receipt {
      let first = try await context.ask(CardForm(), key: "first card")
      do {
        return try await context.once("first") { [bank] key in try await bank.charge(first, key: key) }
      } catch is Bank.Unreachable {
        let second = try await context.ask(CardForm(), key: "second card")  // its answer starts `proceed` again
        return try await context.once("second") { [bank] key in try await bank.charge(second, key: key) }
      }
    }
    func backUp(context: RollbackContext) {}
  }
}

private enum Recording {
  actor CardStep: FlowStep {
    private let bank: Bank
    init(_ bank: Bank) { self.bank = bank }

    func proceed(_ cents: Int, context: StepContext) async throws -> Receipt {
      for number in ["first", "second", "third"] {
        let card = try await context.ask(CardForm(), key: number)
        let charge = try await context.attempt(number) { [bank] key in try await bank.charge(card, key: key) }
        if case .made(let receipt) = charge { return receipt }
      }
      throw Bank.Unreachable()
    }

    func backUp(context: RollbackContext) async {
      for number in ["first", "second", "third"] {
        switch await context.record(number, as: Receipt.self) {
        case .none: break
        case .done(let receipt): await bank.refund(receipt)
        case .interrupted(let key): await bank.void(key: key)
        }
      }
    }
  }
}

private let approval = Flow("approval") {
  Step("decide", ApprovalStep.init)
}

@Suite("Snippets: hosting") struct HostingSnippets {
  @Test func first() async throws {
    let folder = try Folder()
    let directory = folder.path
    let host = FlowHost(store: try await FileFlowStore(directory: directory))
    let approvals = try await host.register(approval)
    let running = Task { try await host.run() }  // fires timers, continues flows after a crash

    let begun = try await approvals.start(id: "expense-17", with: Expense(purpose: "train", cents: 4_250))
    #expect(begun.definition == "approval")

    let page = try await host.flow("expense-17").settled()
    for question in page.questions { print(question.step, question.prompt, question.json.count) }

    let health = await host.health()
    print(health.isRunning, health.failedPolls, health.liveFlows)
    if let failure = health.lastStoreError { print(failure.at, failure.error) }
    if let damage = health.damage { print("unreadable flows:", damage.flows, "; unknown ones:", damage.mayHaveUnknown) }

    let backlog = try await host.backlog()
    print(backlog.due, backlog.oldestDue as Any, backlog.suspended, backlog.unmigrated)

    let inbox = try await host.questions(TaskQuery(assignees: ["ann", "clerks"], order: .due))
    for entry in inbox.questions {
      switch entry.question {
      case .success(let question) where question.shows(Decision.self):
        print(entry.flow, try question.prompt(as: Decision.self).expense.purpose)
      case .success(let question): print(entry.flow, question.prompt)
      case .failure(let error): print(entry.flow, "is not shown:", error)
      }
    }
    let count = try await host.count(TaskQuery(assignees: ["ann", "clerks"]), upTo: 100)
    print(count < 100 ? "\(count)" : "99+")
    #expect(try inbox.questions.map { try $0.question.get().shows(Decision.self) } == [true])

    let question = try #require(page.questions.first?.id)
    let body = #"{"isApproved":true}"#.utf8
    let ann = Principal(id: "ann")
    try await host.flow("expense-17").answer(question, json: body, by: ann, key: "request-4711")
    _ = try await host.flow("expense-17").settled()
    #expect(try await approvals.outcome(of: "expense-17") == .finished(Sealed(cents: 4_250, by: "ann")))
    for entry in try await host.flow("expense-17").history() { print(entry.at, entry.what, entry.by ?? "") }
    running.cancel()
    try await running.value
  }

  @Test("a running host removes what is older than the retention")
  func retention() async throws {
    let clock = ManualWallClock()
    let host = FlowHost(store: MemoryFlowStore(clock: clock), clock: clock)
    let approvals = try await host.register(
      approval, retention: .init(finished: .seconds(90 * 86_400), abandoned: .seconds(7 * 86_400)))
    try await approvals.start(id: "expense-17", with: Expense(purpose: "train", cents: 4_250))
    try await host.flow("expense-17").abandon(reason: "paid in cash")
    await host.isQuiet()
    let running = Task { try await host.run() }
    try await clock.waitForSleepers(3)
    #expect(try await host.list().flows.count == 1)
    clock.advance(by: .seconds(8 * 86_400))
    try await clock.waitForSleepers(3)
    #expect(try await host.list().flows.isEmpty)
    running.cancel()
    try await running.value
  }

  @Test func actions() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let flow = Flow<String, [String]>("basket") { Step("fill") { (_: String) in BasketStep() } }
    let baskets = try await host.register(flow)
    try await baskets.start(id: "basket-1", with: "")
    let question = try #require(try await host.flow("basket-1").settled().questions.first?.id)
    try await host.flow("basket-1").answer(question, json: #"{"add":{"_0":"tea"}}"#.utf8)
    for json in [#"{"take":{"item":"tea","count":2}}"#, #"{"done":{}}"#] {
      try await host.flow("basket-1").answer(question, json: json.utf8)
    }
    _ = try await host.flow("basket-1").settled()
    #expect(try await baskets.outcome(of: "basket-1") == .finished(["tea", "tea", "tea"]))
  }

  @Test("a once that threw runs again before the next answer arrives: the first card pays, the second is refused")
  func cards() async throws {
    let bank = Bank(failures: 1)
    try await testHost { tester in
      let orders = try await tester.deploy(Flow("order") { Step("card") { Throwing.CardStep(bank) } })
      try await orders.start(id: "o", with: 42)
      try await tester.answer(CardForm.self, of: "o", with: "VISA")
      let refusal = await code { try await tester.answer(CardForm.self, of: "o", with: "AMEX") }
      // The step has returned without asking again. Whether the flow has ended by then depends on its next commit.
      #expect([.flowEnded, .questionClosed, .noSuchQuestion].contains(refusal))
      #expect(try await orders.finish("o") == Receipt(card: "VISA"))
    }
    #expect(await bank.log == ["could not charge VISA", "charged VISA"])
  }

  @Test("in memory the once does not run again: nothing is replayed there")
  func cardsInMemory() async throws {
    let bank = Bank(failures: 1)
    try await testFlow(Flow("order") { Step("card") { Throwing.CardStep(bank) } }, with: 42) { tester in
      try await tester.answer(CardForm.self, with: "VISA")
      try await tester.answer(CardForm.self, with: "AMEX")
      #expect(try await tester.finish() == Receipt(card: "AMEX"))
    }
    #expect(await bank.log == ["could not charge VISA", "charged AMEX"])
  }

  @Test("the failure of an attempt is recorded and replayed; a rollback voids a charge that may have happened")
  func cardsRecorded() async throws {
    let bank = Bank(failures: 1)
    try await testHost { tester in
      let orders = try await tester.deploy(
        Flow("order") {
          Step("card") { Recording.CardStep(bank) }
          Step("done?") { (receipt: Receipt, context: StepContext) in
            _ = try await context.ask(CardForm())
            return receipt
          }
        })
      try await orders.start(id: "o", with: 42)
      try await tester.answer(CardForm.self, of: "o", with: "VISA")
      try await tester.answer(CardForm.self, of: "o", with: "AMEX")
      _ = try await tester.question(CardForm.self, of: "o", at: "done?")
      #expect(await bank.log == ["could not charge VISA", "charged AMEX"])
      try await tester.abandon("o")
    }
    #expect(await bank.log.dropFirst(2) == ["voided first", "refunded AMEX"])
  }

  @Test("a flow is found by a label, watched until its outcome, and removed")
  func managing() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let approvals = try await host.register(approval)
    let expense = Expense(purpose: "train", cents: 4_250)
    let ann = Principal(id: "ann")

    try await approvals.start(id: "expense-18", with: expense, labels: ["team": "tools"], by: ann)
    let page = try await host.list(FlowQuery(label: .init("team", "tools")))
    #expect(page.flows.map(\.id) == ["expense-18"])

    let events = host.flow("expense-18").events
    let watching = Task {
      for await event in host.flow("expense-18").events {  // from now on, until the flow has ended here
        print(event.change, event.position.status)
      }
    }
    _ = try await host.flow("expense-18").settled()
    try await host.flow("expense-18").answer(Decision.self, with: .init(isApproved: true), by: ann)
    _ = try await host.flow("expense-18").settled()

    switch try await approvals.outcome(of: "expense-18") {
    case .finished(let sealed): print("approved by", sealed.by)
    case .open: print("it continues")
    case let other: print("no approval: \(other)")
    }
    #expect(try await approvals.outcome(of: "expense-18") == .finished(Sealed(cents: 4_250, by: "ann")))
    var last: Change?
    for await event in events { last = event.change }
    guard case .finished? = last else { throw Rejected() }
    watching.cancel()
    await watching.value

    try await host.flow("expense-18").delete(reason: "a test", by: ann)  // with its history; nothing is compensated
    #expect(await code { try await host.flow("expense-18").view() } == .noSuchFlow)
  }

  @Test func versions() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let checkout = Flow<Expense, Int>("checkout") {
      Step("delivery") { (expense: Expense, context: StepContext) in expense.cents }
    }
    try await host.register(
      checkout, version: 2, from: 1,
      moves: [
        .rename("checkout/ship", to: "checkout/delivery"),
        .input(of: "checkout/delivery") { (cents: Int) in Expense(purpose: "", cents: cents) },
      ])
    print(try await host.plan())
  }

  @Test func someFlowsOnly() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    func checkout(_ last: String) -> Flow<Int, Int> {
      Flow("checkout") {
        Step("pay") { (cents: Int, context: StepContext) in
          try await context.once("charge") { _ in cents }
        }
        Step(last) { (cents: Int, context: StepContext) in cents }
      }
    }
    let delivery = checkout("delivery")
    do {
      let checkout = checkout("ship")
      try await host.register(checkout)
      try await host.register(
        delivery, version: 2, from: 1,
        moves: [.rename("checkout/ship", to: "checkout/delivery")],
        where: { !$0.state.hasRecord(of: "pay", key: "charge") && $0.share(of: "version 2") < 0.05 })
    }
    do {
      let host = FlowHost(store: MemoryFlowStore())
      let checkout = checkout("ship")
      try await host.register(checkout, version: 1, from: 2, moves: [.rename("checkout/delivery", to: "checkout/ship")])
    }
    let prepare: [Move] = [
      // Before: stock, fraud. Now: address, stock.
      .branches(of: "prepare/parallel", from: [nil, 0], forgettingSteps: true)
    ]
    #expect(prepare.count == 1)
  }

  @Test func storedTypes() async throws {
    struct AddressForm: Prompt, Codable { typealias Answer = String }
    struct Receipt: Codable { var number: String }
    let paid = Signal<Receipt>("paid")
    let host = FlowHost(store: MemoryFlowStore())
    let checkout = Flow<Int, Int>("checkout") { Step("delivery") { (cents: Int, context: StepContext) in cents } }
    try await host.register(
      checkout, version: 2, from: 1,
      stores: [AddressForm.self, Receipt.self] + .record("deposit", Receipt.self) + .signal(paid))
    #expect(try await host.plan().groups.isEmpty)
  }
}

/// Returns the status of an HTTP response to a request.
func status(of request: () async throws -> Void) async -> (status: Int, retryAfter: Duration?) {
  do {
    try await withRefusals { try await request() }
    return (200, nil)
  } catch let refusal as Refusal {
    return (refusal.httpStatus, nil)
  } catch let error as FlowError {
    return (error.code.httpStatus, nil)
  } catch let error as FlowStoreError {
    return (error.code.httpStatus, error.retryAfter)
  } catch {
    return (500, nil)
  }
}

@Suite("Errors as HTTP responses, in the articles", .timeLimit(.minutes(15))) struct StatusSnippets {
  @Test("each kind of error has its status, and a lease says when to come back")
  func statuses() async throws {
    let clock = ManualWallClock()
    let store = FaultyStore(MemoryFlowStore(clock: clock))
    let host = FlowHost(store: store, clock: clock)
    #expect(await status { _ = try await host.list() }.status == 200)
    #expect(await status { throw Refusal.notAllowed("it is not yours") }.status == 403)
    #expect(await status { _ = try await host.flow("x").view() }.status == 404)
    store.plan { _ in .fail(.unavailable) }
    #expect(await status { _ = try await host.list() } == (503, nil))
    let leased = FlowStoreError(.leased, "another host runs it", retryAfter: .seconds(3))
    #expect(await status { throw leased } == (503, .seconds(3)))
    #expect(await status { throw FlowStoreError(.corrupted, "it cannot be read") }.status == 500)
    #expect(await status { throw Unknown() }.status == 500)
  }

  private struct Unknown: Error {}
}

@Suite("Observers in the articles", .timeLimit(.minutes(15))) struct ObserverSnippets {
  @Test("a counter of suspended flows, and a trace around each step")
  func observers() async throws {
    let suspended = Metric()
    var options = FlowHost.Options()
    options.observers = [Failures(suspended), Tracing(tracer: Tracer())]
    let host = try FlowHost(store: MemoryFlowStore(), options: options)
    let spans = Log()
    let flow = Flow<String, String>("f") {
      Step("a") { (_: String, context: StepContext) -> String in
        spans.add(Tracer.span)
        try await context.once("charge") { _ in spans.add(Tracer.span) }
        throw Boom()
      }
    }
    try await host.register(flow).start(id: "x", with: "-")
    #expect(try await host.flow("x").settled().status == .suspended)
    await host.isQuiet()
    #expect(suspended.value == 1 && spans.all == ["x: f/a", "x: effect charge"])
  }
}
