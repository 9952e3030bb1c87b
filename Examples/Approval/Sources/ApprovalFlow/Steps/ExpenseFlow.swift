package import ActorFlow
package import ActorFlowHosting

/// The approval of an expense: two people decide at the same time; if they do not decide in four days, the boss has
/// four more; without a boss the expense is rejected.
package enum ExpenseFlow {
  /// The definition.
  package static func make(post: any Post, clock: any WallClock) -> Flow<Claim, Verdict> {
    Flow("expense") {
      Step("receipt") { (claim: Claim) in Tally(claim: claim) }
      Parallel {
        seat(.first, post, clock)
        seat(.second, post, clock)
      } join: { first, second in
        Tally(claim: first.claim, votes: first.votes + second.votes)
      }
      Switch {
        Case("undecided", { (tally: Tally) in tally.needsBoss ? tally : nil }) { seat(.boss, post, clock) }
        Otherwise { Step("settled") { (tally: Tally) in tally } }
      }
      Step("verdict") { (tally: Tally, context: StepContext) in
        let verdict = Verdict(tally)
        try await context.once("notice") { key in
          let text = "\(tally.claim.summary) is \(verdict.isApproved ? "approved" : "rejected"): \(verdict.reason)."
          try await post.send(Notice(key: key, to: tally.claim.submitter, text: text))
        }
        return verdict
      }
    }
  }

  /// A seat and its vote, as a step of its own: so the history has the decision.
  private static func seat(_ seat: Seat, _ post: any Post, _ clock: any WallClock) -> Flow<Tally, Tally> {
    func last(_ decision: Vote.Decision) -> @Sendable (Tally) -> Tally? {
      { tally in tally.votes.last?.decision == decision ? tally : nil }
    }
    return Flow(seat.rawValue) {
      Step("decision") { SeatStep(seat, post: post, clock: clock) }
      Switch {
        Case("approved", last(.approved)) { Step("approved") { (tally: Tally) in tally } }
        Case("rejected", last(.rejected)) { Step("rejected") { (tally: Tally) in tally } }
        Otherwise { Step("silent") { (tally: Tally) in tally } }
      }
    }
  }
}
