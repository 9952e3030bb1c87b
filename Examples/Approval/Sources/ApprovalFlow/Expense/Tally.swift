#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The vote of a person.
package struct Vote: Sendable, Codable, Equatable {
  /// The decision; `silent` if there was none in time.
  package enum Decision: String, Sendable, Codable {
    case approved, rejected, silent
  }

  /// The seat.
  package let seat: Seat
  /// The person who decided, or whom the step asked in vain.
  package let by: String
  /// The decision.
  package let decision: Decision
  /// The comment of the decider.
  package let comment: String
  /// The time of the decision.
  package let at: Date
}

/// A claim, and the votes so far.
package struct Tally: Sendable, Codable, Equatable {
  /// The claim.
  package let claim: Claim
  /// The beginning of the four days.
  package let began: Date
  /// The people who are asked and have not decided. A person to whom two others have handed on is in it twice.
  package var holders: [String]
  /// The votes, oldest first.
  package var votes: [Vote] = []
  /// The payment, if there was one.
  package var payment: Payment?

  init(claim: Claim, began: Date) {
    (self.claim, self.began, holders) = (claim, began, claim.approvers)
  }

  /// The first approval. The guard of the next question lets its author approve no second time.
  var approval: Vote? { votes.first { $0.decision == .approved } }

  /// Whether two people approved, or the boss did.
  var isApproved: Bool {
    guard !isRejected else { return false }
    let approvals = votes.filter { $0.decision == .approved }
    return approvals.contains { $0.seat == .boss } || approvals.count >= 2
  }

  /// Returns the tally with a payment.
  func paid(_ payment: Payment) -> Tally {
    var tally = self
    tally.payment = payment
    return tally
  }

  /// Whether there is a rejection.
  var isRejected: Bool { votes.contains { $0.decision == .rejected } }

  /// Whether another person must decide, after an approval.
  var needsSecond: Bool { votes.count == 1 && approval != nil }

  /// Whether the boss must decide.
  var needsBoss: Bool { !isApproved && !isRejected && claim.boss != nil && !votes.contains { $0.seat == .boss } }
}

/// The outcome of an expense.
package struct Verdict: Sendable, Codable, Equatable {
  /// Whether it is paid.
  package let isApproved: Bool
  /// The reason, in a few words.
  package let reason: String
  /// The votes, oldest first.
  package let votes: [Vote]
  /// The payment, if it was approved.
  package let payment: Payment?

  init(_ tally: Tally) {
    isApproved = tally.isApproved
    votes = tally.votes
    payment = tally.payment
    let deciders = votes.filter { $0.decision == (tally.isApproved ? .approved : .rejected) }.map(\.by)
    reason =
      deciders.isEmpty || (!tally.isApproved && !tally.isRejected)
      ? "not enough people decided in time" : "by " + deciders.joined(separator: " and ")
  }
}
