package import ActorFlow
package import ActorFlowHosting

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The requests of people about expenses. A refused request throws a sentence.
package struct Office: Sendable {
  let host: FlowHost
  let expenses: HostedFlow<Claim, Verdict>
  let staff: Staff

  package init(host: FlowHost, expenses: HostedFlow<Claim, Verdict>, staff: Staff) {
    (self.host, self.expenses, self.staff) = (host, expenses, staff)
  }

  /// Submits an expense.
  ///
  /// - Parameter id: Its name; the next number if nil.
  /// - Returns: Its name.
  package func submit(_ claim: Claim, as id: FlowID? = nil) async throws -> FlowID {
    let id = if let id { id } else { try await nextNumber() }
    do {
      try await expenses.start(
        id: id, with: claim, labels: ["submitter": claim.submitter], by: Principal(id: claim.submitter))
    } catch let error as FlowError where error.code == .alreadyStarted {
      throw Problem("There is another expense \(id) already; give this one another name.")
    }
    return id
  }

  /// An expense that waits for a person.
  package struct Item: Sendable, Equatable {
    package let expense: FlowID
    package let seat: Seat
    package let claim: Claim
    package let due: Date?
  }

  /// The expenses that wait for a person, the most urgent first.
  package func inbox(of name: String) async throws -> [Item] {
    let query = TaskQuery(assignee: try staff.checked(name), definition: "expense")
    var (items, cursor): ([Item], String?) = ([], nil)
    repeat {
      let page = try await host.tasks(query, after: cursor, limit: 100)
      for task in page.tasks {
        let view = try await host.view(task.flow)
        guard let question = view.questions.first(where: { $0.id.description == task.task.question }) else { continue }
        let form = try question.prompt(as: BallotForm.self)
        items.append(Item(expense: task.flow, seat: form.seat, claim: form.claim, due: form.due))
      }
      cursor = page.cursor
    } while cursor != nil
    return items.sorted { ($0.due ?? .distantFuture, "\($0.expense)") < ($1.due ?? .distantFuture, "\($1.expense)") }
  }

  /// Decides for the seat of a person.
  package func decide(_ id: FlowID, by name: String, _ ballot: Ballot) async throws {
    try await respond(to: id, by: name) { _ in .decision(ballot) }
  }

  /// Hands a seat to another person, for the remaining time.
  package func delegate(_ id: FlowID, from name: String, to next: String) async throws {
    let next = try staff.checked(next)
    let people = try await trail(of: id).people
    try await respond(to: id, by: name) { form in
      // The claim does not name the person to whom the other seat was handed.
      guard !people.contains(next) || form.claim.submitter == next else {
        throw Problem("\(next) has a part in it already; hand the seat to somebody else.")
      }
      return .handOn(to: next)
    }
  }

  private func respond(
    to id: FlowID, by name: String, _ response: (BallotForm) throws -> Response
  ) async throws {
    let name = try staff.checked(name)
    let (question, form) = try await question(of: id, for: name)
    do {
      try await host.answer(
        question.id, of: id, with: try response(form), by: Principal(id: name), revision: question.revision)
    } catch let error as FlowError where [.questionClosed, .staleRevision, .flowEnded].contains(error.code) {
      // Another person was faster, or the time was over at that moment.
      throw try await refusal(of: id, for: name)
    }
  }

  /// The history of an expense.
  package func trail(of id: FlowID) async throws -> Trail {
    let view = try await view(of: id)
    let outcome = try await expenses.outcome(of: id)
    var (entries, last): ([HistoryEntry], [HistoryEntry]) = ([], [])
    repeat {
      last = try await host.history(of: id, after: entries.last?.sequence ?? 0, limit: 1_000)
      entries += last
    } while !last.isEmpty
    return Trail(entries, view: view, outcome: outcome)
  }
}

extension Office {
  private func view(of id: FlowID) async throws -> FlowView {
    do { return try await host.view(id) } catch let error as FlowError where error.code == .noSuchFlow {
      throw Problem("There is no expense \(id).")
    }
  }

  /// The question that waits for a person.
  private func question(of id: FlowID, for name: String) async throws -> (FlowView.OpenQuestion, BallotForm) {
    for question in try await view(of: id).questions where question.assignees.contains(name) {
      return (question, try question.prompt(as: BallotForm.self))
    }
    throw try await refusal(of: id, for: name)
  }

  /// The reason why a person cannot decide about an expense.
  private func refusal(of id: FlowID, for name: String) async throws -> Problem {
    let view = try await view(of: id)
    let trail = try await trail(of: id)
    if let decision = trail.decision(of: name) {
      return Problem("\(name) has \(decision) \(id) already; a decision cannot be changed.")
    }
    if trail.missed(name) { return Problem("Too late: the time that \(name) had to decide about \(id) is over.") }
    if trail.handedOn(name) { return Problem("\(name) has handed the seat on, so somebody else decides about \(id).") }
    if view.status.isTerminal { return Problem("\(id) is settled: \(trail.ending).") }
    let people = view.questions.flatMap(\.assignees)
    let waits = people.isEmpty ? "" : "; it waits for \(people.joined(separator: " and "))"
    return Problem("\(id) does not wait for \(name)\(waits).")
  }

  /// The next free number.
  private func nextNumber() async throws -> FlowID {
    var (highest, cursor): (Int, String?) = (0, nil)
    repeat {
      let page = try await host.list(FlowQuery(definition: "expense"), after: cursor, limit: 1_000)
      for flow in page.flows {
        let name = flow.id.description
        if name.hasPrefix("e-"), let number = Int(name.dropFirst(2)) { highest = max(highest, number) }
      }
      cursor = page.cursor
    } while cursor != nil
    return FlowID("e-\(highest + 1)")
  }
}
