package import ActorFlow
package import ActorFlowHosting

/// The approval of an expense: two people are asked at the same time, and both must approve; if they do not decide in
/// four days, the boss has four more; without a boss the expense is rejected.
package enum ExpenseFlow {
  /// The definition.
  package static func make(post: any Post, clock: any WallClock) -> Flow<Claim, Verdict> {
    Flow("expense") {
      Step("receipt") { (claim: Claim, context: StepContext) in
        Tally(claim: claim, began: try await context.once("began") { _ in clock.now })
      }
      seat(.first, post, clock)
      Switch {
        Case("half", where: { (tally: Tally) in tally.needsSecond }) { seat(.second, post, clock) }
        Otherwise {}
      }
      Switch {
        Case("undecided", where: { (tally: Tally) in tally.needsBoss }) { seat(.boss, post, clock) }
        Otherwise {}
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

  /// A decision and its result, as a step of its own: so the history has the decision.
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
