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
