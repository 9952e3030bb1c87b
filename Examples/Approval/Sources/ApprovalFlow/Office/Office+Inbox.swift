package import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension Office {
  /// An expense that waits for a person.
  package struct Item: Sendable, Equatable {
    package let expense: FlowID
    /// The thing to do, as it is called in a sentence.
    package let task: String
    package let claim: Claim
    package let due: Date?
  }

  /// The expenses that wait for a person or for one of the person's groups, the most urgent first.
  package func inbox(of name: String) async throws -> [Item] {
    let person = try staff.principal(name)
    let query = TaskQuery(assignees: [person.id] + person.roles, definition: "expense", order: .due)
    var (items, cursor): ([Item], String?) = ([], nil)
    repeat {
      let page = try await host.questions(query, after: cursor)
      items += try page.questions.compactMap { try Item($0) }
      cursor = page.cursor
    } while cursor != nil
    return items
  }
}

extension Office.Item {
  /// Returns nil for an expense that cannot be shown: it cannot be decided either.
  fileprivate init?(_ listed: ListedQuestion) throws {
    guard case .success(let question) = listed.question else { return nil }
    if question.shows(BookingForm.self) {
      let form = try question.prompt(as: BookingForm.self)
      self.init(expense: listed.flow, task: "the booking", claim: form.claim, due: form.due)
    } else {
      let form = try question.prompt(as: BallotForm.self)
      self.init(expense: listed.flow, task: form.seat.title, claim: form.claim, due: form.due)
    }
  }
}
