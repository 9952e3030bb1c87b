import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@testable import ApprovalFlow

@Suite("The second release", .timeLimit(.minutes(15))) struct ReleaseTests {
  @Test("expenses that have not come to the payment move; the others end as they began; each is paid once")
  func moved() async throws {
    try await Company.open(release: 1) { company in
      let (paid, open, half) = (try await company.submit(), try await company.submit(), try await company.submit())
      try await company.approve(paid)
      #expect(try await company.inbox("finn") == ["e-1 the booking"])
      try await company.decide(half, by: "bob")
      await company.bank.leave()
      let (suspended, byHand) = (try await company.submit(), try await company.submit())
      for id in [suspended, byHand] { try await company.approve(id) }
      try await company.office.complete(byHand, Payment(reference: "cash 1"), by: "hugo", reason: "the bank is away")
      try await company.tester.settle()

      let company = try await company.withSecondRelease()
      await company.bank.comeBack()
      try await company.approve(open)
      try await company.decide(half, by: "carol")
      try await company.office.retry(suspended, by: "hugo", reason: "the bank is back")
      let ids = [paid, open, half, suspended, byHand]
      try await company.tester.settle()
      #expect(try await company.inbox("finn").count == ids.count)
      // Those that moved are booked before they are paid.
      #expect(await company.bank.transfers.count == 2)
      var references: [String?] = []
      for id in ids { references.append(try await company.finish(id).payment?.reference) }
      #expect(references == ["transfer 1", "transfer 3", "transfer 4", "transfer 2", "cash 1"])
      #expect(await company.bank.transfers.count == 4)
      var versions: [Int] = []
      for id in ids { versions.append(try await company.tester.view(of: id).version) }
      #expect(versions == [1, 2, 2, 1, 1])
      for id in [open, half] {
        #expect(try await company.trail(id).contains("it goes on in another version: 1 → 2"))
      }
    }
  }

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
