import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@testable import ApprovalFlow

@Suite("Redaction", .timeLimit(.minutes(15))) struct RedactionTests {
  @Test("an expense that has ended is redacted: the facts stay, and the words of people go")
  func redacted() async throws {
    try await Company.open { company in
      await company.bank.leave()
      let id = try await company.submit()
      try await company.decide(id, by: "bob", true, "words of bob")
      try await company.reassign(id, from: "carol", to: "dave", reason: "words of hugo")
      let open = await refusal { try await company.office.redact(id, by: "hugo", reason: "ann has left") }
      #expect(open == "e-1 is not in a state for that: waits for dave.")
      try await company.decide(id, by: "dave")
      try await company.book(id, by: "finn", to: "words of finn")
      try await company.office.complete(id, Payment(reference: "words"), by: "hugo", reason: "words of hugo")
      _ = try await company.finish(id)
      let before = try await company.trail(id)
      for words in ["bob", "hugo", "finn"] { #expect(before.contains { $0.contains("words of \(words)") }) }

      let refused = await refusal { try await company.office.redact(id, by: "finn", reason: "ann has left") }
      #expect(refused == "finn is no operator.")
      try await company.office.redact(id, by: "hugo", reason: "ann has left")
      try await company.tester.crash()
      #expect(
        try await company.trail(id) == [
          "somebody submitted it", "somebody was asked", "bob approved it", "hugo assigned it", "dave approved it",
          "somebody was asked to book it", "finn booked it", "it is suspended", "hugo paid it by hand",
          "it was paid", "hugo redacted it: ann has left",
        ])
      let view = try await company.tester.view(of: id)
      #expect(view.labels.isEmpty)
      #expect(try await company.redactedStatus(of: id) == .finished)
      #expect(await refusal { try await company.decide(id, by: "bob") } == "e-1 is settled: redacted.")
    }
  }

  @Test("the times of a redacted expense stay, and also what did not happen in time")
  func times() async throws {
    try await Company.open { company in
      let id = try await company.submit()
      try await company.delegate(id, from: "bob", to: "dave")
      try await company.tester.advance(by: Company.day * 4)
      _ = try await company.finish(id)
      let before = try await company.office.trail(of: id).lines
      try await company.office.redact(id, by: "hugo", reason: "ann has left")
      let after = try await company.office.trail(of: id).lines
      #expect(
        after.map(\.text) == [
          "somebody submitted it", "somebody was asked", "bob handed on to somebody", "somebody did not decide in time",
          "hugo redacted it: ann has left",
        ])
      #expect(Set(after.map(\.at)) == Set(before.map(\.at)))
      #expect(try await company.redactedStatus(of: id) == .finished)
    }
  }
}
