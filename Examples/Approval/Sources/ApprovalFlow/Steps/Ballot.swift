package import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The answer of a person who is asked.
package enum Response: Sendable, Codable, Equatable {
  /// Decides.
  case decision(Ballot, by: String)
  /// Lets another person decide.
  case handOn(to: String, by: String)

  /// The person who answers.
  package var by: String {
    switch self {
    case .decision(_, let by), .handOn(_, let by): by
    }
  }
}

/// The decision and its reason.
package struct Ballot: Sendable, Codable, Equatable {
  package let approves: Bool
  package let comment: String

  package init(approves: Bool, comment: String = "") {
    (self.approves, self.comment) = (approves, comment)
  }
}

/// Asks people to decide; the first answer counts. The question stands in the inbox of each of them.
package struct BallotForm: AssignedPrompt, Codable, Equatable {
  package typealias Answer = Response
  package let claim: Claim
  package let seat: Seat
  package let holders: [String]
  /// The approval so far: the next one has to come from another person.
  package let approval: Vote?
  package let due: Date?

  /// Each person once.
  package var assignees: [String] {
    holders.enumerated().filter { holders.firstIndex(of: $0.element) == $0.offset }.map(\.element)
  }

  /// Admits the people who are asked. Also the first approver: ``authorize(_:answering:)`` has the better reason.
  package func authorize(_ principal: Principal) throws {
    guard holders.contains(principal.id) || approval?.by == principal.id else {
      throw Refusal.notAllowed(
        "The expense does not wait for \(principal.id); it waits for \(assignees.joined(separator: " and ")).")
    }
  }

  package func validate(_ answer: Response) throws {
    switch answer {
    case .decision(let ballot, _):
      guard ballot.comment.count <= 500 else { throw Refusal.invalid("A comment has at most 500 characters.") }
      guard !ballot.comment.holdsControlCharacters else {
        throw Refusal.invalid("The comment holds characters that cannot be shown; write it in one line.")
      }
      guard ballot.approves || ballot.comment.contains(where: { !$0.isWhitespace }) else {
        throw Refusal.invalid("A rejection needs a reason: add --comment \"…\".")
      }
    case .handOn(let next, let by):
      guard next != claim.submitter else {
        throw Refusal.invalid("\(next) spent the money, and cannot decide about it.")
      }
      guard next != by, next != claim.boss, !claim.approvers.contains(next) else {
        throw Refusal.invalid("\(next) has a part in it already; hand the seat to somebody else.")
      }
    }
  }

  /// Refuses the second decision of the first approver, who may be asked again: two others can hand on to one person.
  package func authorize(_ principal: Principal, answering response: Response) throws {
    guard response.by == principal.id else {
      throw Refusal.notAllowed("\(principal.id) cannot answer for \(response.by).")
    }
    switch response {
    case .decision:
      guard approval?.by != principal.id else {
        throw Refusal.notAllowed(
          "\(principal.id) has approved it already; the second decision has to come from another person.")
      }
    case .handOn:
      guard holders.contains(principal.id) else {
        throw Refusal.notAllowed("\(principal.id) has approved it already, and has no seat left to hand on.")
      }
    }
  }
}
