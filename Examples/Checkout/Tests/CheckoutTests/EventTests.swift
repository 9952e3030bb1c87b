import Foundation
import Testing

@Suite struct EventTests {
  @Test("Every navigation event is one line of JSON on standard error, in order and without a gap")
  func events() async throws {
    let events = try await events(AnswersTests.order + [AnswersTests.card])
    #expect(events.map(\.sequence) == Array(1...events.count))
    #expect(events.first?.change == "launched")
    #expect(events.last?.change == "finished")
    #expect(events.last?.status == "finished")
    #expect(events.filter { $0.change == "asked" }.count == 10)
    #expect(events.filter { $0.change == "updated" }.count == 1)
    #expect(events.first { $0.change == "asked" }?.questions.first?.prompt == "BasketView")
  }

  @Test("A back and an abandonment are logged as such")
  func leaving() async throws {
    let events = try await events(["add TLS-101 1", "checkout", "back", "abandon"])
    #expect(
      events.dropFirst(3).map(\.change) == [
        "updated", "withdrawn", "moved", "moved", "asked", "leaving", "backedUp", "asked", "leaving", "abandoned",
        "rolledBack",
      ])
    let back = try #require(events.first { $0.change == "backedUp" })
    #expect(back.from == "checkout/account")
    #expect(back.step == "checkout/basket/fill")
    #expect(back.stack == ["checkout/basket/fill"])
    #expect(events.last?.status == "abandoned")
  }

  @Test("Events contain nothing that was typed")
  func secrets() async throws {
    let ending = try await Program.run(answers: AnswersTests.order + [AnswersTests.card], ["--events"])
    for secret in ["Ada", "ada@example.org", "Main St", "4242"] {
      #expect(!ending.errors.contains(secret))
    }
  }

  @Test("Without --events standard error stays empty")
  func silence() async throws {
    #expect(try await Program.run(answers: ["add TLS-101 1", "nope"]).errors.isEmpty)
  }

  /// An event as a reader of the log sees it.
  private struct Event: Decodable {
    struct Question: Decodable {
      var id: String
      var step: String
      var prompt: String
    }
    var sequence: Int
    var change: String
    var step: String?
    var from: String?
    var stack: [String]
    var questions: [Question]
    var status: String
    var canBackUp: Bool
  }

  private func events(_ answers: [String]) async throws -> [Event] {
    let ending = try await Program.run(answers: answers, ["--events"])
    return try ending.errors.split(separator: "\n").map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
  }
}
