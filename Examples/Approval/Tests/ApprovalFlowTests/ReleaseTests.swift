import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@testable import ApprovalFlow

@Suite("The second release", .timeLimit(.minutes(15))) struct ReleaseTests {
  @Test("an expense that moves keeps its votes, its deadline and the people who are asked")
  func kept() async throws {
    try await Company.open(release: 1) { company in
      let id = try await company.submit()
      try await company.reassign(id, from: "bob", to: "dave")
      try await company.decide(id, by: "carol")
      let due = try await company.office.inbox(of: "dave").first?.due
      let company = try await company.withSecondRelease()
      try await company.tester.advance(by: Company.day)
      #expect(try await company.tester.view(of: id).version == 2)
      #expect(try await company.office.inbox(of: "dave").first?.due == due)
      #expect(try await company.inbox("bob").isEmpty)
      try await company.decide(id, by: "dave")
      #expect(try await company.finish(id).votes.map(\.by) == ["carol", "dave"])
    }
  }
}
