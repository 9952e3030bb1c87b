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
