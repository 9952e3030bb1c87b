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

private let approval = Flow("approval") {
  Step("decide", ApprovalStep.init)
}

@Suite("Snippets: hosting") struct HostingSnippets {
  @Test func first() async throws {
    let folder = try Folder()
    let directory = folder.path
    let host = FlowHost(store: try await FileFlowStore(directory: directory))
    let approvals = try await host.register(approval)
    let running = Task { try await host.run() }  // rings timers, takes up what a crash left behind

    let begun = try await approvals.start(id: "expense-17", with: Expense(purpose: "train", cents: 4_250))
    #expect(begun.definition == "approval")

    let page = try await host.settled("expense-17")
    for question in page.questions { print(question.step, question.prompt, question.json.count) }

    let health = await host.health()
    print(health.isRunning, health.failedPolls, health.liveFlows)
    if let failure = health.lastStoreError { print(failure.at, failure.error) }

    let inbox = try await host.tasks(TaskQuery(assignee: "ann"))
    for task in inbox.tasks { print(task.flow, task.task.prompt) }

    let question = try #require(page.questions.first?.id)
    let body = #"{"isApproved":true}"#.utf8
    let ann = Principal(id: "ann")
    try await host.answer(question, of: "expense-17", json: body, by: ann, key: "request-4711")
    _ = try await host.settled("expense-17")
    #expect(try await approvals.outcome(of: "expense-17") == .finished(Sealed(cents: 4_250, by: "ann")))
    for entry in try await host.history(of: "expense-17") { print(entry.at, entry.what, entry.by ?? "") }
    running.cancel()
    try await running.value
  }

  @Test func actions() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let flow = Flow<String, [String]>("basket") { Step("fill") { (_: String) in BasketStep() } }
    let baskets = try await host.register(flow)
    try await baskets.start(id: "basket-1", with: "")
    let question = try #require(try await host.settled("basket-1").questions.first?.id)
    try await host.answer(question, of: "basket-1", json: #"{"add":{"_0":"tea"}}"#.utf8)
    for json in [#"{"take":{"item":"tea","count":2}}"#, #"{"done":{}}"#] {
      try await host.answer(question, of: "basket-1", json: json.utf8)
    }
    _ = try await host.settled("basket-1")
    #expect(try await baskets.outcome(of: "basket-1") == .finished(["tea", "tea", "tea"]))
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
}
