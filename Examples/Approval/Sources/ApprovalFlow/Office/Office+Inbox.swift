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
      let page = try await host.tasks(query, after: cursor, limit: 100)
      for task in page.tasks {
        if let item = try await item(task) { items.append(item) }
      }
      cursor = page.cursor
    } while cursor != nil
    return items
  }

  /// Returns the item of a question, or nil if the question was closed meanwhile.
  private func item(_ summary: TaskSummary) async throws -> Item? {
    let view = try await host.flow(summary.flow).view()
    guard let question = view.questions.first(where: { $0.id.description == summary.task.question }) else { return nil }
    if question.shows(BookingForm.self) {
      let form = try question.prompt(as: BookingForm.self)
      return Item(expense: summary.flow, task: "the booking", claim: form.claim, due: form.due)
    }
    let form = try question.prompt(as: BallotForm.self)
    return Item(expense: summary.flow, task: form.seat.title, claim: form.claim, due: form.due)
  }
}
