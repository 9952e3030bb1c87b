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
  case decision(Ballot)
  /// Lets another person decide.
  case handOn(to: String)
}

/// The decision and its reason.
package struct Ballot: Sendable, Codable, Equatable {
  package let approves: Bool
  package let comment: String

  package init(approves: Bool, comment: String = "") {
    (self.approves, self.comment) = (approves, comment)
  }
}

/// Asks the person who has a seat to decide. The question stands in that person's inbox.
package struct BallotForm: AssignedPrompt, Codable, Equatable {
  package typealias Answer = Response
  package let claim: Claim
  package let seat: Seat
  package let holder: String
  package let due: Date?

  package var assignees: [String] { [holder] }

  package func authorize(_ principal: Principal?) throws {
    guard principal?.id == holder else {
      throw Problem("\(holder) has \(seat.title) now, so nobody else decides there.")
    }
  }

  package func validate(_ answer: Response) throws {
    switch answer {
    case .decision(let ballot):
      guard ballot.comment.count <= 500 else { throw Problem("A comment has at most 500 characters.") }
      guard !ballot.comment.holdsControlCharacters else {
        throw Problem("The comment holds characters that cannot be shown; write it in one line.")
      }
      guard ballot.approves || ballot.comment.contains(where: { !$0.isWhitespace }) else {
        throw Problem("A rejection needs a reason: add --comment \"…\".")
      }
    case .handOn(let next):
      guard next != claim.submitter else {
        throw Problem("\(next) spent the money, and cannot decide about it.")
      }
      guard next != holder, next != claim.boss, !claim.approvers.contains(next) else {
        throw Problem("\(next) has a part in it already; hand the seat to somebody else.")
      }
    }
  }
}
