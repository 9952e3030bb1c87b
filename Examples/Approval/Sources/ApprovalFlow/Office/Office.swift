package import ActorFlow
package import ActorFlowHosting

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The requests of people about expenses. A request that cannot be carried out throws a sentence.
package struct Office: Sendable {
  let host: FlowHost
  let expenses: RegisteredFlow<Claim, Verdict>
  let staff: Staff

  package init(host: FlowHost, expenses: RegisteredFlow<Claim, Verdict>, staff: Staff) {
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
      throw Problem("There is another expense \(id) already; give this one another name.", status: 409)
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
        let view = try await host.flow(task.flow).view()
        guard let question = view.questions.first(where: { $0.id.description == task.task.question }) else { continue }
        let form = try question.prompt(as: BallotForm.self)
        items.append(Item(expense: task.flow, seat: form.seat, claim: form.claim, due: form.due))
      }
      cursor = page.cursor
    } while cursor != nil
    return items.sorted { ($0.due ?? .distantFuture, "\($0.expense)") < ($1.due ?? .distantFuture, "\($1.expense)") }
  }

  /// Decides. The guards of the question refuse the wrong people; their `Refusal` is thrown on.
  package func decide(_ id: FlowID, by name: String, _ ballot: Ballot) async throws {
    try await respond(to: id, by: name, .decision(ballot, by: name))
  }

  /// Lets another person decide, in the remaining time.
  package func delegate(_ id: FlowID, from name: String, to next: String) async throws {
    try await respond(to: id, by: name, .handOn(to: try staff.checked(next), by: name))
  }

  private func respond(to id: FlowID, by name: String, _ response: Response) async throws {
    let name = try staff.checked(name)
    // Two people may answer at the same moment: the slower answer then counts for the next question.
    var view = try await view(of: id)
    for _ in 1...3 {
      if view.questions.isEmpty { view = try await host.flow(id).settled() }
      guard let question = view.questions.first else { break }
      if !question.assignees.contains(name), try await trail(of: id).missed(name) { break }
      do {
        try await host.flow(id).answer(
          question.id, with: response, by: Principal(id: name), revision: question.revision)
        return
      } catch let error as FlowError where [.questionClosed, .staleRevision, .flowEnded].contains(error.code) {
        view = try await host.flow(id).settled()
      }
    }
    throw try await tooLate(id, for: name)
  }

  /// The history of an expense.
  package func trail(of id: FlowID) async throws -> Trail {
    let view = try await view(of: id)
    let outcome = try await expenses.outcome(of: id)
    var (entries, last): ([HistoryEntry], [HistoryEntry]) = ([], [])
    repeat {
      last = try await host.flow(id).history(after: entries.last?.sequence ?? 0, limit: 1_000)
      entries += last
    } while !last.isEmpty
    return Trail(entries, view: view, outcome: outcome)
  }
}

extension Office {
  private func view(of id: FlowID) async throws -> FlowView {
    do { return try await host.flow(id).view() } catch let error as FlowError where error.code == .noSuchFlow {
      throw Problem("There is no expense \(id).", status: 404)
    }
  }

  /// The reason why nothing waits for a person.
  private func tooLate(_ id: FlowID, for name: String) async throws -> Problem {
    let trail = try await trail(of: id)
    if trail.missed(name) {
      return Problem("Too late: the time that \(name) had to decide about \(id) is over.", status: 409)
    }
    if try await view(of: id).status.isTerminal { return Problem("\(id) is settled: \(trail.ending).", status: 409) }
    return Problem("Another answer about \(id) was faster: \(trail.ending).", status: 409)
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
