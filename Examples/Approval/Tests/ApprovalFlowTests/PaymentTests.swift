import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@testable import ApprovalFlow

@Suite("Payments", .timeLimit(.minutes(15))) struct PaymentTests {
  @Test("an operator completes a payment by hand, and the bank is not asked any more")
  func byHand() async throws {
    try await Company.open { company in
      await company.bank.leave()
      let id = try await company.submit()
      try await company.approve(id)
      let (hugo, cash) = ("hugo", Payment(reference: "cash 17"))
      let early = await refusal { try await company.office.complete(id, cash, by: hugo, reason: "in a hurry") }
      #expect(early == "e-1 is not in a state for that: waits for group finance.")
      try await company.book(id, by: "finn")
      #expect(try await company.trail(id).last == "suspended: the bank is away")
      try await company.tester.crash()
      let refused = await refusal { try await company.office.complete(id, cash, by: "bob", reason: "in a hurry") }
      #expect(refused == "bob is no operator.")
      try await company.office.complete(id, cash, by: hugo, reason: "ann needs it today")
      await company.bank.comeBack()
      #expect(try await company.finish(id).payment == cash)
      #expect(await company.bank.transfers.isEmpty)
      #expect(
        try await company.trail(id).suffix(4) == [
          "it is suspended: the bank is away", "hugo paid it by hand: ann needs it today", "it was paid",
          "approved: by bob and carol, paid with cash 17",
        ])
    }
  }

  @Test("a payment whose reply was lost is tried again, and made once")
  func retried() async throws {
    try await Company.open { company in
      await company.bank.loseReplies()
      let id = try await company.submit()
      try await company.approve(id)
      try await company.book(id, by: "finn")
      #expect(try await company.trail(id).last == "suspended: the bank does not answer")
      await company.bank.comeBack()
      try await company.office.retry(id, by: "hugo", reason: "the bank is back")
      #expect(try await company.finish(id).payment == Payment(reference: "transfer 1"))
      #expect(await company.bank.transfers.count == 1)
      #expect(try await company.trail(id).contains("hugo let it try again: the bank is back"))
      let late = await refusal { try await company.office.retry(id, by: "hugo", reason: "once more") }
      #expect(late?.hasPrefix("e-1 is not in a state for that: approved") == true)
    }
  }

  @Test(
    "an expense that is abandoned gives the money back, whether or not the bank's reply had come",
    arguments: [true, false])
  func takenBack(isReplyLost: Bool) async throws {
    try await Company.open(release: 1) { company in
      if isReplyLost { await company.bank.loseReplies() }
      let id = try await company.submit()
      try await company.approve(id)
      await company.bank.comeBack()
      try await company.tester.abandon(id, reason: "a mistake")
      #expect(await company.bank.takenBack == [Payment(reference: "transfer 1")])
    }
  }

  @Test("an expense that was never paid gives nothing back")
  func nothingBack() async throws {
    try await Company.open(release: 1) { company in
      await company.bank.leave()
      let id = try await company.submit()
      try await company.approve(id)
      try await company.tester.abandon(id, reason: "a mistake")
      #expect(await company.bank.takenBack.isEmpty)
    }
  }
}
