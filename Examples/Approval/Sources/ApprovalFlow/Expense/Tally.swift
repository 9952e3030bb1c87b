#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What came of a seat.
package struct Vote: Sendable, Codable, Equatable {
  /// What was decided; nobody decided in time: `silent`.
  package enum Decision: String, Sendable, Codable {
    case approved, rejected, silent
  }

  /// The seat.
  package let seat: Seat
  /// Who had it in the end.
  package let by: String
  /// What was decided.
  package let decision: Decision
  /// What the decider said.
  package let comment: String
  /// When.
  package let at: Date
}

/// A claim, and what was decided so far.
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

  /// Whether somebody said no.
  var isRejected: Bool { votes.contains { $0.decision == .rejected } }

  /// Whether the boss is to settle it.
  var needsBoss: Bool { !isApproved && !isRejected && claim.boss != nil && !votes.contains { $0.seat == .boss } }
}

/// How an expense ended.
package struct Verdict: Sendable, Codable, Equatable {
  /// Whether it is paid.
  package let isApproved: Bool
  /// Why, in a few words.
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
