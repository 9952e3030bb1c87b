#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The vote of a seat.
package struct Vote: Sendable, Codable, Equatable {
  /// The decision; `silent` if there was none in time.
  package enum Decision: String, Sendable, Codable {
    case approved, rejected, silent
  }

  /// The seat.
  package let seat: Seat
  /// The last person in the seat.
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
  /// The votes, by seat.
  package var votes: [Vote] = []

  /// Whether two different people approved, or the boss did.
  var isApproved: Bool {
    guard !isRejected else { return false }
    let approvals = votes.filter { $0.decision == .approved }
    return approvals.contains { $0.seat == .boss } || Set(approvals.map(\.by)).count >= 2
  }

  /// Whether there is a rejection.
  var isRejected: Bool { votes.contains { $0.decision == .rejected } }

  /// Whether the boss must decide.
  var needsBoss: Bool { !isApproved && !isRejected && claim.boss != nil && !votes.contains { $0.seat == .boss } }
}

/// The outcome of an expense.
package struct Verdict: Sendable, Codable, Equatable {
  /// Whether it is paid.
  package let isApproved: Bool
  /// The reason, in a few words.
  package let reason: String
  /// The votes, by seat.
  package let votes: [Vote]

  init(_ tally: Tally) {
    isApproved = tally.isApproved
    votes = tally.votes
    let deciders = votes.filter { $0.decision == (tally.isApproved ? .approved : .rejected) }.map(\.by)
    reason =
      deciders.isEmpty || (!tally.isApproved && !tally.isRejected)
      ? "not enough people decided in time" : "by " + deciders.joined(separator: " and ")
  }
}
