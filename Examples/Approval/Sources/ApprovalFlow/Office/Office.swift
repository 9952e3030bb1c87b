package import ActorFlow
package import ActorFlowHosting

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

  /// Decides. The guards of the question refuse the wrong people; their `Refusal` is thrown on.
  package func decide(_ id: FlowID, by name: String, _ ballot: Ballot) async throws {
    try await respond(to: id, by: try staff.principal(name), .decision(ballot))
  }

  /// Lets another person decide, in the remaining time.
  package func delegate(_ id: FlowID, from name: String, to next: String) async throws {
    try await respond(to: id, by: try staff.principal(name), .handOn(to: try staff.checked(next)))
  }

  private func respond(to id: FlowID, by principal: Principal, _ choice: Response.Choice) async throws {
    // Two people may answer at the same moment: the slower answer then counts for the next question.
    var view = try await view(of: id)
    for _ in 1...3 {
      if view.questions.isEmpty { view = try await host.flow(id).settled() }
      guard let question = view.questions.first(where: { $0.shows(BallotForm.self) }) else { break }
      let form = try question.prompt(as: BallotForm.self)
      if !form.holders.contains(principal.id), try await trail(of: id).missed(principal.id) { break }
      let response = Response(choice, by: principal.id, holders: form.holders)
      do {
        try await host.flow(id).answer(question.id, with: response, by: principal, revision: question.revision)
        return
      } catch let error as FlowError where [.questionClosed, .staleRevision, .flowEnded].contains(error.code) {
        view = try await host.flow(id).settled()
      }
    }
    throw try await tooLate(id, for: principal.id)
  }

  /// Books an expense. The guard of the question admits the finance group, whoever belongs to it today.
  package func book(_ id: FlowID, by name: String, _ booking: Booking) async throws {
    let principal = try staff.principal(name)
    guard let question = try await view(of: id).questions.first(where: { $0.shows(BookingForm.self) }) else {
      throw Problem("\(id) has nothing to book: \(try await trail(of: id).ending).", status: 409)
    }
    try await host.flow(id).answer(question.id, with: booking, by: principal, revision: question.revision)
  }

  /// The history of an expense.
  package func trail(of id: FlowID) async throws -> Trail {
    let view = try await view(of: id)
    let outcome = view.isRedacted ? nil : try await expenses.outcome(of: id)
    var (entries, last): ([HistoryEntry], [HistoryEntry]) = ([], [])
    repeat {
      last = try await host.flow(id).history(after: entries.last?.sequence ?? 0, limit: 1_000)
      entries += last
    } while !last.isEmpty
    return Trail(entries, view: view, outcome: outcome)
  }

  func view(of id: FlowID) async throws -> FlowView {
    do { return try await host.flow(id).view() } catch let error as FlowError where error.code == .noSuchFlow {
      throw Problem("There is no expense \(id).", status: 404)
    }
  }
}

extension Office {
  /// The reason why nothing waits for a person.
  private func tooLate(_ id: FlowID, for name: String) async throws -> Problem {
    let (trail, view) = (try await trail(of: id), try await view(of: id))
    if trail.missed(name) {
      return Problem("Too late: the time that \(name) had to decide about \(id) is over.", status: 409)
    }
    if view.status.isTerminal { return Problem("\(id) is settled: \(trail.ending).", status: 409) }
    guard view.questions.contains(where: { $0.shows(BallotForm.self) }) else {
      return Problem("\(id) is decided already: \(trail.ending).", status: 409)
    }
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
