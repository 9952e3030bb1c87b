package import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The requests of operators. Each stands in the history with the operator and the reason.
extension Office {
  /// Puts another person in the place of a person or a group that is asked.
  package func reassign(
    _ id: FlowID, from old: String, to next: String, by name: String, reason: String
  ) async throws {
    let (by, reason, next) = (try staff.anOperator(name), try checked(reason), try staff.checked(next))
    let view = try await view(of: id)
    guard let question = view.questions.first(where: { $0.assignees.contains(old) }) else {
      let trail = try await trail(of: id)
      throw Problem("\(id) does not wait for \(old): \(trail.ending).", status: 409)
    }
    guard !question.assignees.contains(next), try !participants(of: question).contains(next) else {
      throw Problem("\(next) has a part in it already; assign it to somebody else.")
    }
    let people = question.assignees.map { $0 == old ? next : $0 }
    do {
      // The list replaces all who are asked, so it must not undo what another operator has changed meanwhile.
      try await host.flow(id).reassign(question.id, to: people, reason: reason, by: by, revision: question.revision)
    } catch let error as FlowError where [.staleRevision, .questionClosed].contains(error.code) {
      throw Problem("Something about \(id) has changed meanwhile: \(try await trail(of: id).ending).", status: 409)
    }
  }

  /// Completes the payment by hand. The bank is not asked any more.
  package func complete(_ id: FlowID, _ payment: Payment, by name: String, reason: String) async throws {
    let (by, reason) = (try staff.anOperator(name), try checked(reason))
    let payment = Payment(reference: try checked(payment.reference))
    try await operate(id) { flow in
      try await flow.complete("pay", output: JSONEncoder().encode(payment), reason: reason, by: by)
    }
  }

  /// Tries the payment again.
  package func retry(_ id: FlowID, by name: String, reason: String) async throws {
    let (by, reason) = (try staff.anOperator(name), try checked(reason))
    try await operate(id) { flow in try await flow.retry(reason: reason, by: by) }
  }

  /// Removes what people said about an expense that has ended. The names of the staff who decided stay in the history;
  /// that of the person who spent the money goes.
  ///
  /// The bytes of earlier revisions stay in the store: erase them there.
  package func redact(_ id: FlowID, by name: String, reason: String) async throws {
    let (by, reason) = (try staff.anOperator(name), try checked(reason))
    let submitter = try await view(of: id).labels["submitter"]
    try await operate(id) { flow in
      try await flow.redact(keeping: [], naming: staff.names.filter { $0 != submitter }, reason: reason, by: by)
    }
  }

  /// Carries out a verb. The refusal of one that comes at the wrong time becomes a sentence.
  private func operate(_ id: FlowID, _ request: (HostedFlow) async throws -> FlowView) async throws {
    _ = try await view(of: id)
    do { _ = try await request(host.flow(id)) } catch let error as FlowError
      where [.notActive, .notSuspended, .flowEnded, .notEnded].contains(error.code)
    {
      throw Problem("\(id) is not in a state for that: \(try await trail(of: id).ending).", status: 409)
    }
  }

  /// Returns the text if it can be shown on an audit page.
  private func checked(_ text: String) throws -> String {
    guard (1...200).contains(text.count), !text.holdsControlCharacters else {
      throw Problem("An operator gives a reason of 1 to 200 characters, in one line.")
    }
    return text
  }

  /// Returns the people who have a part in the expense that does not go with the answer to this question.
  private func participants(of question: StoredQuestion) throws -> [String] {
    if question.shows(BookingForm.self) { return [try question.prompt(as: BookingForm.self).claim.submitter] }
    let form = try question.prompt(as: BallotForm.self)
    return [form.claim.submitter] + [form.claim.boss, form.approval?.by].compactMap(\.self)
  }
}
