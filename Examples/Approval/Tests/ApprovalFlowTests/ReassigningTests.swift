import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@testable import ApprovalFlow

@Suite("Assignments by an operator", .timeLimit(.minutes(15))) struct ReassigningTests {
  @Test("the new person decides and the old one is refused, also after a crash; the trail says who did it and why")
  func decides() async throws {
    try await Company.open { company in
      let id = try await company.submit()
      try await company.reassign(id, from: "bob", to: "dave", reason: "bob is ill")
      #expect(try await company.inbox("bob").isEmpty)
      #expect(try await company.inbox("dave") == ["e-1 the first decision"])
      let sentence = "The expense does not wait for bob; it waits for dave and carol."
      #expect(await refusal { try await company.decide(id, by: "bob") } == sentence)
      try await company.tester.crash()
      #expect(await refusal { try await company.decide(id, by: "bob") } == sentence)
      try await company.decide(id, by: "dave")
      // The seat that was assigned is the one that is decided.
      #expect(try await company.inbox("bob").isEmpty)
      #expect(try await company.inbox("carol") == ["e-1 the second decision"])
      try await company.decide(id, by: "carol")
      #expect(try await company.finish(id).votes.map(\.by) == ["dave", "carol"])
      #expect(try await company.trail(id).contains("hugo assigned it from bob to dave: bob is ill"))
    }
  }

  @Test("an assignment outlives the decision of the other seat")
  func otherSeat() async throws {
    try await Company.open { company in
      let id = try await company.submit()
      try await company.reassign(id, from: "bob", to: "dave")
      try await company.decide(id, by: "carol")
      #expect(try await company.inbox("dave") == ["e-1 the second decision"])
      #expect(try await company.inbox("bob").isEmpty)
      try await company.tester.crash()
      try await company.reassign(id, from: "dave", to: "erin")
      try await company.decide(id, by: "erin")
      #expect(try await company.finish(id).votes.map(\.by) == ["carol", "erin"])
    }
  }

  @Test("the new person can hand on, and a person with two seats hands both over")
  func handOn() async throws {
    try await Company.open { company in
      let id = try await company.submit()
      try await company.reassign(id, from: "bob", to: "dave")
      try await company.delegate(id, from: "dave", to: "erin")
      #expect(try await company.inbox("dave").isEmpty)
      try await company.delegate(id, from: "carol", to: "erin")
      try await company.reassign(id, from: "erin", to: "gwen")
      try await company.tester.crash()
      try await company.decide(id, by: "gwen")
      #expect(try await company.inbox("gwen") == ["e-1 the second decision"])
      try await company.delegate(id, from: "gwen", to: "dave")
      try await company.decide(id, by: "dave")
      #expect(try await company.finish(id).votes.map(\.by) == ["gwen", "dave"])
    }
  }

  @Test("reminders go to the new person, who is late when the time is over")
  func reminders() async throws {
    try await Company.open { company in
      let id = try await company.submit(boss: "erin")
      try await company.tester.advance(by: Company.day)
      try await company.reassign(id, from: "bob", to: "dave")
      try await company.tester.advance(by: Company.day * 2)
      #expect(await company.letters.to("bob").count == 2)
      #expect(await company.letters.to("dave").count == 2)
      #expect(await company.letters.to("carol").count == 4)
      try await company.tester.advance(by: Company.day)
      #expect(try await company.trail(id).contains("dave did not decide in time"))
      #expect(
        await refusal { try await company.decide(id, by: "dave") }
          == "Too late: the time that dave had to decide about e-1 is over.")
      try await company.reassign(id, from: "erin", to: "gwen")
      try await company.decide(id, by: "gwen")
      #expect(try await company.finish(id).isApproved)
    }
  }

  @Test("a question of a group can be assigned to a person, and then the group is refused")
  func group() async throws {
    try await Company.open { company in
      let id = try await company.submit()
      try await company.approve(id)
      try await company.reassign(id, from: "group finance", to: "dave")
      #expect(try await company.inbox("finn").isEmpty)
      let refused = await refusal { try await company.book(id, by: "finn") }
      #expect(refused == "The booking does not wait for finn; it waits for dave.")
      #expect(try await company.inbox("dave") == ["e-1 the booking"])
      try await company.book(id, by: "dave")
      #expect(try await company.finish(id).isApproved)
      #expect(try await company.trail(id).contains("hugo assigned it from group finance to dave: away"))
    }
  }

  @Test("an assignment is refused in a sentence, and changes nothing")
  func refusals() async throws {
    try await Company.open { company in
      let id = try await company.submit(boss: "erin")
      for (old, next, by, reason, sentence) in [
        ("bob", "dave", "carol", "away", "carol is no operator."),
        ("dave", "gwen", "hugo", "away", "e-1 does not wait for dave: waits for bob and carol."),
        ("bob", "carol", "hugo", "away", "carol has a part in it already; assign it to somebody else."),
        ("bob", "ann", "hugo", "away", "ann has a part in it already; assign it to somebody else."),
        ("bob", "erin", "hugo", "away", "erin has a part in it already; assign it to somebody else."),
        ("bob", "dave", "hugo", "", "An operator gives a reason of 1 to 200 characters, in one line."),
        ("bob", "dave", "hugo", "a\u{1B}", "An operator gives a reason of 1 to 200 characters, in one line."),
      ] {
        let refused = await refusal {
          try await company.reassign(id, from: old, to: next, by: by, reason: reason)
        }
        #expect(refused == sentence)
      }
      #expect(try await company.trail(id).last == "waits for bob and carol")
      try await company.decide(id, by: "bob")
      let twice = await refusal { try await company.reassign(id, from: "carol", to: "bob") }
      #expect(twice == "bob has a part in it already; assign it to somebody else.")
      try await company.decide(id, by: "carol")
      _ = try await company.finish(id)
    }
  }
}
