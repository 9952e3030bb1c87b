import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@testable import ApprovalFlow

@Suite("Groups", .timeLimit(.minutes(15))) struct GroupTests {
  @Test("a booking stands in the inbox of each member of the group, until one of them has done it")
  func members() async throws {
    try await Company.open { company in
      let id = try await company.submit()
      try await company.approve(id)
      for name in ["finn", "gwen"] { #expect(try await company.inbox(name) == ["e-1 the booking"]) }
      #expect(try await company.inbox("bob").isEmpty)
      let refused = await refusal { try await company.book(id, by: "bob") }
      #expect(refused == "The booking does not wait for bob; it waits for group finance.")
      try await company.tester.crash()
      try await company.book(id, by: "gwen")
      #expect(try await company.inbox("finn").isEmpty)
      let late = await refusal { try await company.book(id, by: "finn") }
      #expect(late == "e-1 has nothing to book: approved: by bob and carol, paid with transfer 1.")
      #expect(try await company.finish(id).isApproved)
      #expect(try await company.trail(id).contains("gwen booked it: travel"))
    }
  }

  @Test("a person's own questions and those of the groups are in one inbox, each once")
  func together() async throws {
    try await Company.open { company in
      var company = company
      let id = try await company.submit()
      try await company.approve(id)
      company.staff = try Staff(parsing: "ann\nbob: finance\ncarol\ndave\nerin\nfinn: finance\nhugo: operators")
      let other = try await company.submit()
      #expect(try await company.inbox("bob") == ["e-2 the first decision", "e-1 the booking"])
      try await company.decide(other, by: "bob", false, "too dear")
      for id in [id, other] { _ = try await company.finish(id) }
    }
  }

  @Test("who belongs to the group when the answer comes may answer, and who has left it may not")
  func membership() async throws {
    try await Company.open { company in
      var company = company
      let id = try await company.submit()
      try await company.approve(id)
      company.staff = try Staff(parsing: "ann: finance\nbob\ncarol\ndave: finance, operators\nfinn")
      let left = await refusal { try await company.book(id, by: "finn") }
      #expect(left == "The booking does not wait for finn; it waits for group finance.")
      let own = await refusal { try await company.book(id, by: "ann") }
      #expect(own == "ann spent the money, and cannot book the expense.")
      #expect(try await company.inbox("finn").isEmpty)
      try await company.book(id, by: "dave")
      #expect(try await company.finish(id).isApproved)
    }
  }

  @Test("a staff list has people with their groups; a name that is typed in other bytes is the one of the list")
  func staff() throws {
    let staff = try Staff(parsing: "ann: finance, operators # the boss\nbob:\n\njos\u{E9} : finance\nann: board\n")
    #expect(staff.names == ["ann", "bob", "jos\u{E9}"])
    #expect(try staff.principal("ann").roles == ["group board", "group finance", "group operators"])
    #expect(try staff.principal("bob").roles.isEmpty)
    let joe = try staff.principal("jose\u{301}")
    #expect(Array(joe.id.utf8) == Array("jos\u{E9}".utf8))
    #expect(joe.roles == ["group finance"])
    let claim = try Claim(
      submitter: "ann", amount: Amount(cents: 1), purpose: "taxi", approvers: ("bob", "jose\u{301}"), boss: nil,
      staff: staff)
    #expect(claim.approvers.map { Array($0.utf8) } == ["bob", "jos\u{E9}"].map { Array($0.utf8) })
    for text in ["ann\nbob\ncarol: a b!", "ann\nbob\n: finance\ncarol", "ann\nbob"] {
      #expect(throws: Problem.self) { try Staff(parsing: text) }
    }
  }

  @Test("the guards of a booking")
  func guards() async throws {
    let claim = try Claim(
      submitter: "ann", amount: Amount(cents: 1), purpose: "taxi", approvers: ("bob", "carol"), boss: nil,
      staff: .example)
    let form = BookingForm(claim: claim)
    try await expectRefusal(ofPrincipal: nil, by: form)
    try await expectRefusal(ofPrincipal: Principal(id: "bob", roles: ["group operators", "finance"]), by: form)
    try await expectRefusal(ofPrincipal: Principal(id: "ann", roles: ["group finance"]), by: form)
    try await form.authorize(Principal(id: "bob", roles: ["group finance"]))
    for account in ["", "a\nb", String(repeating: "x", count: 41)] {
      #expect(throws: Refusal.self) { try form.validate(Booking(account: account)) }
    }
  }
}
