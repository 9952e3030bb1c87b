package import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The account to which an expense is booked.
package struct Booking: Sendable, Codable, Equatable {
  package let account: String

  package init(account: String) {
    self.account = account
  }
}

/// Asks the finance group to book an expense. The question stands in the inbox of each member.
package struct BookingForm: AssignedPrompt, ReassignablePrompt, Codable, Equatable {
  package typealias Answer = Booking
  package static let isAudited = true
  package let claim: Claim
  /// People and groups. Who belongs to a group is not stored here: it counts when somebody answers.
  package var assignees = [Staff.group("finance")]
  package var due: Date? { nil }

  init(claim: Claim) {
    self.claim = claim
  }

  /// Admits those who are asked, and the members of groups that are asked, but not the person who spent the money.
  package func authorize(_ principal: Principal) throws {
    guard assignees.contains(principal.id) || !principal.roles.isDisjoint(with: assignees) else {
      throw Refusal.notAllowed(
        "The booking does not wait for \(principal.id); it waits for \(assignees.joined(separator: " and ")).")
    }
    guard principal.id != claim.submitter else {
      throw Refusal.notAllowed("\(principal.id) spent the money, and cannot book the expense.")
    }
  }

  package func validate(_ answer: Booking) throws {
    guard (1...40).contains(answer.account.count), !answer.account.holdsControlCharacters else {
      throw Refusal.invalid("An account has 1 to 40 characters.")
    }
  }
}
