import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation
import Testing

@testable import ApprovalFlow

@Suite("Approvals", .timeLimit(.minutes(15))) struct ExpenseFlowTests {
  @Test("two people decide at the same time, in any order; the trail has people, decisions and times")
  func approved() async throws {
    try await Company.open { company in
      let id = try await company.submit()
      #expect(try await company.inbox("bob") == ["e-1 the first decision"])
      #expect(try await company.inbox("carol") == ["e-1 the first decision"])
      try await company.tester.advance(by: .seconds(3_600))
      try await company.decide(id, by: "carol")
      #expect(try await company.inbox("carol").isEmpty)
      #expect(try await company.inbox("bob") == ["e-1 the second decision"])
      try await company.tester.advance(by: .seconds(3_600))
      try await company.decide(id, by: "bob", true, "a good price")
      let verdict = try await company.finish(id)
      #expect(verdict.isApproved)
      #expect(verdict.votes.map(\.by) == ["carol", "bob"])
      #expect(
        try await company.trail(id) == [
          "ann submitted it", "bob was asked", "carol was asked", "carol approved it",
          "bob approved it: a good price", "group finance was asked to book it", "finn booked it: travel",
          "it was paid", "approved: by carol and bob, paid with transfer 1",
        ])
      let times = try await company.office.trail(of: id).lines.map { $0.at.timeIntervalSince(verdict.votes[0].at) }
      #expect(times == [-3_600, -3_600, -3_600, 0, 3_600, 3_600, 3_600, 3_600, 3_600])
      #expect(
        await company.letters.to("ann") == ["ann: “a train to Kiel”, 129.90 €, of ann is approved: by carol and bob."])
    }
  }

  @Test("one rejection is enough, and needs a reason")
  func rejected() async throws {
    try await Company.open { company in
      let id = try await company.submit(boss: "erin")
      let refused = await refusal { try await company.decide(id, by: "bob", false, " ") }
      #expect(refused == "A rejection needs a reason: add --comment \"…\".")
      let hidden = await refusal { try await company.decide(id, by: "bob", true, "yes\r\nno") }
      #expect(hidden == "The comment holds characters that cannot be shown; write it in one line.")
      try await company.decide(id, by: "bob", false, "first class")
      let late = await refusal { try await company.decide(id, by: "carol") }
      #expect(late == "e-1 is settled: rejected: by bob.")
      let verdict = try await company.finish(id)
      #expect(!verdict.isApproved)
      #expect(verdict.reason == "by bob")
      #expect(try await company.inbox("erin").isEmpty)
    }
  }

  @Test("a seat that is handed on moves to the other inbox with its deadline, any number of times")
  func delegation() async throws {
    try await Company.open { company in
      let id = try await company.submit()
      let due = try await company.office.inbox(of: "bob").first?.due
      try await company.tester.advance(by: Company.day)
      try await company.delegate(id, from: "bob", to: "dave")
      #expect(try await company.inbox("bob").isEmpty)
      #expect(try await company.office.inbox(of: "dave").first?.due == due)
      try await company.tester.crash()
      try await company.tester.advance(by: Company.day)
      try await company.delegate(id, from: "dave", to: "erin")
      #expect(try await company.inbox("dave").isEmpty)
      #expect(try await company.inbox("erin") == ["e-1 the first decision"])
      let late = await refusal { try await company.decide(id, by: "bob") }
      #expect(late == "The expense does not wait for bob; it waits for erin and carol.")
      try await company.tester.advance(by: Company.day)
      try await company.decide(id, by: "erin")
      try await company.decide(id, by: "carol")
      #expect(try await company.finish(id).votes.map(\.by) == ["erin", "carol"])
      let trail = try await company.trail(id)
      #expect(trail.contains("bob handed on to dave"))
      #expect(trail.contains("dave handed on to erin"))
      // The person who has the seat on a day is reminded, and no other.
      #expect(await company.letters.to("bob").count == 2)
      #expect(await company.letters.to("dave").count == 2)
      #expect(await company.letters.to("erin").count == 2)
      #expect(await company.letters.to("carol").count == 4)
    }
  }

  @Test("reminders are sent every day, and after four days a silent seat rejects the expense")
  func lapsed() async throws {
    try await Company.open { company in
      let id = try await company.submit()
      try await company.decide(id, by: "carol")
      for day in 1...3 {
        try await company.tester.advance(by: Company.day)
        #expect(await company.letters.to("bob").count == 1 + day)
      }
      #expect(await company.letters.to("bob").last?.hasSuffix("waits for you; 1 day is left.") == true)
      try await company.tester.advance(by: .seconds(86_399))
      #expect(try await company.inbox("bob") == ["e-1 the second decision"])
      try await company.tester.advance(by: .seconds(1))
      #expect(try await company.inbox("bob").isEmpty)
      let verdict = try await company.finish(id)
      #expect(!verdict.isApproved)
      #expect(verdict.reason == "not enough people decided in time")
      #expect(try await company.trail(id).contains("bob did not decide in time"))
      #expect(await company.letters.to("carol").count == 1)
      let late = await refusal { try await company.decide(id, by: "bob") }
      #expect(late == "Too late: the time that bob had to decide about e-1 is over.")
    }
  }

  @Test("with a boss, an undecided expense is escalated, with four more days")
  func escalated() async throws {
    try await Company.open { company in
      let settled = try await company.submit(boss: "erin")
      let lapsed = try await company.submit(boss: "erin")
      try await company.decide(settled, by: "bob")
      try await company.tester.advance(by: Company.day * 4)
      #expect(try await company.inbox("erin") == ["e-1 the boss's decision", "e-2 the boss's decision"])
      try await company.tester.advance(by: Company.day * 3)
      try await company.decide(settled, by: "erin")
      #expect(try await company.finish(settled).isApproved)
      try await company.tester.advance(by: Company.day)
      #expect(try await !company.finish(lapsed).isApproved)
      #expect(try await company.trail(lapsed).filter { $0.hasSuffix("in time") }.count == 4)
    }
  }

  @Test("unknown names, double decisions, and other people's seats are refused in a sentence")
  func refusals() async throws {
    try await Company.open { company in
      let id = try await company.submit(boss: "erin")
      func refused(_ body: () async throws -> Void) async -> String { await refusal(body) ?? "" }
      #expect(await refused { try await company.decide(id, by: "zoe") }.hasPrefix("Nobody here is called “zoe”."))
      #expect(await refused { try await company.decide("e-9", by: "bob") } == "There is no expense e-9.")
      #expect(
        await refused { try await company.decide(id, by: "dave") }
          == "The expense does not wait for dave; it waits for bob and carol.")
      try await company.decide(id, by: "bob")
      #expect(
        await refused { try await company.decide(id, by: "bob", false, "no") }
          == "bob has approved it already; the second decision has to come from another person.")
      #expect(
        await refused { try await company.delegate(id, from: "carol", to: "ann") }
          == "ann spent the money, and cannot decide about it.")
      for name in ["carol", "bob", "erin"] {
        #expect(
          await refused { try await company.delegate(id, from: "carol", to: name) }
            == "\(name) has a part in it already; hand the seat to somebody else.")
      }
      try await company.decide(id, by: "carol")
      #expect(
        await refused { try await company.decide(id, by: "dave") } == "e-1 is decided already: waits for group finance."
      )
      _ = try await company.finish(id)
    }
  }

  @Test("the second approval has to come from another person, also after a restart; the question stays open")
  func twice() async throws {
    try await Company.open { company in
      let id = try await company.submit()
      let desk = { WebDesk(company.office) }
      #expect(await desk().decide(id, by: "bob", Ballot(approves: true)) == WebDesk.Reply(200))
      try await company.tester.settle()
      let refused = WebDesk.Reply(
        403, "bob has approved it already; the second decision has to come from another person.")
      #expect(await desk().decide(id, by: "bob", Ballot(approves: true)) == refused)
      #expect(try await company.inbox("carol") == ["e-1 the second decision"])
      try await company.tester.crash()
      #expect(await desk().decide(id, by: "bob", Ballot(approves: true)) == refused)
      #expect(try await company.inbox("carol") == ["e-1 the second decision"])
      #expect(await desk().decide(id, by: "carol", Ballot(approves: true)) == WebDesk.Reply(200))
      try await company.tester.settle()
      #expect(try await company.finish(id).votes.map(\.by) == ["bob", "carol"])
    }
  }

  @Test("two people who approve at the same moment both count")
  func atOnce() async throws {
    try await Company.open { company in
      for number in 1...10 {
        let id = try await company.submit()
        let desk = WebDesk(company.office)
        async let first = desk.decide(id, by: "bob", Ballot(approves: true))
        async let second = desk.decide(id, by: "carol", Ballot(approves: true))
        #expect(await [first, second] == [WebDesk.Reply(200), WebDesk.Reply(200)], "\(number)")
        try await company.tester.settle()
        #expect(try await company.finish(id).votes.count == 2)
      }
    }
  }

  @Test("a person to whom both others have handed on decides once, and can only hand on after that")
  func bothSeats() async throws {
    try await Company.open { company in
      let id = try await company.submit()
      try await company.delegate(id, from: "bob", to: "dave")
      try await company.delegate(id, from: "carol", to: "dave")
      #expect(try await company.trail(id).suffix(2) == ["carol handed on to dave", "waits for dave"])
      try await company.decide(id, by: "dave")
      try await company.tester.crash()
      #expect(try await company.inbox("dave") == ["e-1 the second decision"])
      let desk = { WebDesk(company.office) }
      for ballot in [Ballot(approves: true), Ballot(approves: false, comment: "on second thoughts")] {
        #expect(await desk().decide(id, by: "dave", ballot).status == 403)
      }
      #expect(await desk().delegate(id, from: "dave", to: "erin") == WebDesk.Reply(200))
      try await company.tester.settle()
      try await company.decide(id, by: "erin")
      let verdict = try await company.finish(id)
      #expect(verdict.isApproved)
      #expect(verdict.votes.map(\.by) == ["dave", "erin"])
    }
  }

  @Test("each refusal has a status for HTTP")
  func statuses() async throws {
    try await Company.open { company in
      let id = try await company.submit()
      let desk = WebDesk(company.office)
      let yes = Ballot(approves: true)
      #expect(await desk.decide(id, by: "dave", yes).status == 403)
      #expect(await desk.decide(id, by: "bob", Ballot(approves: false)).status == 422)
      #expect(await desk.decide(id, by: "zoe", yes).status == 400)
      #expect(await desk.decide("e-9", by: "bob", yes).status == 404)
      try await company.decide(id, by: "bob", false, "first class")
      #expect(
        await desk.decide(id, by: "carol", yes) == WebDesk.Reply(409, "e-1 is settled: rejected: by bob."))
      _ = try await company.finish(id)
    }
  }

  @Test("with a crash every day, weeks of expenses end as they would have without")
  func crashes() async throws {
    try await Company.open { company in
      for _ in 0..<20 { try await company.submit(boss: "erin") }
      for day in 1...3 {
        for number in 1...20 where number % 4 == day { try await company.decide(FlowID("e-\(number)"), by: "bob") }
        try await company.tester.crash()
        for number in 1...20 where number % 4 == day { try await company.decide(FlowID("e-\(number)"), by: "carol") }
        try await company.tester.advance(by: Company.day)
        try await company.tester.crash()
      }
      try await company.tester.advance(by: Company.day * 14)
      for number in 1...20 {
        let verdict = try await company.finish(FlowID("e-\(number)"))
        #expect(verdict.isApproved == (number % 4 != 0), "\(number)")
      }
      #expect(await company.letters.to("ann").count == 20)
    }
  }
}

@Suite("The guards of a ballot") struct BallotFormTests {
  private func form(holders: [String], approval: String? = nil) throws -> BallotForm {
    let claim = try Claim(
      submitter: "ann", amount: Amount(cents: 1), purpose: "taxi", approvers: ("bob", "carol"), boss: nil,
      staff: Staff(parsing: "ann\nbob\ncarol\ndave"))
    let vote = approval.map { Vote(seat: .first, by: $0, decision: .approved, comment: "", at: .distantPast) }
    return BallotForm(claim: claim, seat: .second, holders: holders, approval: vote, due: nil)
  }

  private func refusal(of response: Response, of name: String, by form: BallotForm) async throws -> Refusal? {
    try await expectRefusal(ofAnswer: response, of: Principal(id: name), by: form) as? Refusal
  }

  @Test("the first approver decides nothing more, and nobody answers for another person")
  func authorization() async throws {
    let form = try form(holders: ["dave", "carol"], approval: "dave")
    func response(_ choice: Response.Choice, by name: String, _ form: BallotForm) -> Response {
      Response(choice, by: name, holders: form.holders)
    }
    let yes = Response.Choice.decision(Ballot(approves: true))
    for name in ["dave", "carol"] {
      #expect(try await refusal(of: response(yes, by: name, form), of: "dave", by: form)?.kind == .notAllowed)
    }
    try await form.authorize(Principal(id: "carol"), answering: response(yes, by: "carol", form))
    try await form.authorize(Principal(id: "dave"), answering: response(.handOn(to: "erin"), by: "dave", form))
    let later = try self.form(holders: ["carol"], approval: "bob")
    let handOn = response(.handOn(to: "dave"), by: "bob", later)
    #expect(try await refusal(of: handOn, of: "bob", by: later)?.kind == .notAllowed)
    // Other people are asked than the answerer has seen.
    let old = response(yes, by: "carol", later)
    #expect(try await refusal(of: old, of: "carol", by: form)?.kind == .invalid)
    try await expectRefusal(ofPrincipal: nil, by: form)
    try await expectRefusal(ofPrincipal: Principal(id: "bob"), by: form)
  }
}

@Suite("The parts of an expense") struct ClaimTests {
  @Test(
    "amounts are whole cents",
    arguments: [("12", 1_200), ("12.5", 1_250), ("0.01", 1), ("1000000", 100_000_000), ("007.05", 705)])
  func amounts(text: String, cents: Int) throws {
    #expect(try Amount(parsing: text).cents == cents)
  }

  @Test(
    "invalid amounts are refused",
    arguments: [
      "", "0", "0.00", "-1", "+1", "1,50", "1.505", "1.", ".5", "1e3", "1000000.01", "1 000", "٣", "0x1",
      "99999999999999999999999",
    ])
  func noAmounts(text: String) {
    #expect(throws: Problem.self) { try Amount(parsing: text) }
  }

  @Test("one person has one part in an expense, and a purpose is needed")
  func parts() throws {
    let staff = try Staff(parsing: "ann\nbob # the accountant\n\n carol\ndave\n")
    func claim(_ submitter: String, _ first: String, _ second: String, _ boss: String?, _ purpose: String) throws {
      _ = try Claim(
        submitter: submitter, amount: Amount(cents: 1), purpose: purpose, approvers: (first, second), boss: boss,
        staff: staff)
    }
    try claim("ann", "bob", "carol", "dave", "taxi")
    for (submitter, first, second, boss, purpose) in [
      ("ann", "ann", "carol", nil, "taxi"), ("ann", "bob", "bob", nil, "taxi"), ("ann", "bob", "carol", "ann", "taxi"),
      ("ann", "bob", "carol", nil, " \n"), ("ann", "bob", "zoe", nil, "taxi"),
      ("ann", "bob", "carol", nil, "a \u{1B}[31mtaxi"),
      ("ann", "bob", "carol", nil, String(repeating: "x", count: 201)),
    ] as [(String, String, String, String?, String)] {
      #expect(throws: Problem.self) { try claim(submitter, first, second, boss, purpose) }
    }
    #expect(throws: Problem.self) { try Staff(parsing: "ann\nbob") }
    #expect(throws: Problem.self) { try Staff(parsing: "ann\nbob\ncarol\n: finance") }
  }
}
