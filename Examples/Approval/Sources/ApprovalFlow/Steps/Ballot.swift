package import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The answer of a person who is asked.
package struct Response: Sendable, Codable, Equatable {
  /// The choice of the person.
  package enum Choice: Sendable, Codable, Equatable {
    /// Decides.
    case decision(Ballot)
    /// Lets another person decide.
    case handOn(to: String)
  }

  package let choice: Choice
  /// The person who answers.
  package let by: String
  /// The holders of the question that is answered. An operator may have changed them, which the step does not see: it
  /// learns it from the answer.
  package let holders: [String]

  package init(_ choice: Choice, by: String, holders: [String]) {
    (self.choice, self.by, self.holders) = (choice, by, holders)
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
package struct BallotForm: AssignedPrompt, ReassignablePrompt, Codable, Equatable {
  package typealias Answer = Response
  package static let isAudited = true
  package let claim: Claim
  package let seat: Seat
  /// The holder of each seat. A person to whom two others have handed on is in it twice.
  package private(set) var holders: [String]
  /// The approval so far: the next one has to come from another person.
  package let approval: Vote?
  package let due: Date?

  init(claim: Claim, seat: Seat, holders: [String], approval: Vote?, due: Date?) {
    (self.claim, self.seat, self.holders, self.approval, self.due) = (claim, seat, holders, approval, due)
  }

  /// The holders, each person once. A name that an operator sets takes over all seats of the name in whose place it is.
  package var assignees: [String] {
    get { holders.enumerated().filter { holders.firstIndex(of: $0.element) == $0.offset }.map(\.element) }
    set {
      let old = assignees
      guard newValue.count == old.count else {
        holders = newValue
        return
      }
      let next = Dictionary(zip(old, newValue)) { first, _ in first }
      holders = holders.compactMap { next[$0] }
    }
  }

  /// Admits the people who are asked. Also the first approver: ``authorize(_:answering:)`` has the better reason.
  package func authorize(_ principal: Principal) throws {
    guard holders.contains(principal.id) || approval?.by == principal.id else {
      throw Refusal.notAllowed(
        "The expense does not wait for \(principal.id); it waits for \(assignees.joined(separator: " and ")).")
    }
  }

  package func validate(_ answer: Response) throws {
    switch answer.choice {
    case .decision(let ballot):
      guard ballot.comment.count <= 500 else { throw Refusal.invalid("A comment has at most 500 characters.") }
      guard !ballot.comment.holdsControlCharacters else {
        throw Refusal.invalid("The comment holds characters that cannot be shown; write it in one line.")
      }
      guard ballot.approves || ballot.comment.contains(where: { !$0.isWhitespace }) else {
        throw Refusal.invalid("A rejection needs a reason: add --comment \"…\".")
      }
    case .handOn(let next):
      guard next != claim.submitter else {
        throw Refusal.invalid("\(next) spent the money, and cannot decide about it.")
      }
      guard next != answer.by, next != claim.boss, !claim.approvers.contains(next) else {
        throw Refusal.invalid("\(next) has a part in it already; hand the seat to somebody else.")
      }
    }
  }

  /// Refuses the second decision of the first approver, who may be asked again: two others can hand on to one person.
  package func authorize(_ principal: Principal, answering response: Response) throws {
    guard response.by == principal.id else {
      throw Refusal.notAllowed("\(principal.id) cannot answer for \(response.by).")
    }
    guard response.holders == holders else {
      throw Refusal.invalid("The people who are asked have changed; look at the expense again.")
    }
    switch response.choice {
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
