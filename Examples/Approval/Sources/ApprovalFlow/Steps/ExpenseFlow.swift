import ActorFlow
package import ActorFlowHosting

/// The services that the steps use.
package struct Services: Sendable {
  let post: any Post
  let bank: any Bank
  /// The host's store.
  let store: any FlowStore
  let clock: any WallClock

  package init(post: any Post, bank: any Bank, store: any FlowStore, clock: any WallClock) {
    (self.post, self.bank, self.store, self.clock) = (post, bank, store, clock)
  }
}

/// The approval of an expense: two people are asked at the same time, and both must approve; if they do not decide in
/// four days, the boss has four more; without a boss the expense is rejected. An approved expense is paid and booked.
package enum ExpenseFlow {
  /// Registers the first version: an expense is booked when it has been paid.
  package static func registerFirst(
    with host: FlowHost, _ services: Services
  ) async throws -> RegisteredFlow<Claim, Verdict> {
    try await host.register(
      make(
        services,
        settling: Flow("settlement") {
          payment(services)
          booking
        }))
  }

  /// Registers the second version, beside the first one: an expense is booked before it is paid.
  ///
  /// Expenses that have not come to the payment move. The others end as they began: in the second version an expense
  /// that is paid, and waits to be booked, would be paid once more. The steps tell it, and not
  /// `hasRecord(of: "pay", key: "transfer")`, because a payment by hand needs no record.
  package static func registerSecond(
    with host: FlowHost, _ services: Services
  ) async throws -> RegisteredFlow<Claim, Verdict> {
    try await host.register(
      make(
        services,
        settling: Flow("settlement") {
          booking
          payment(services)
        }),
      version: 2, from: 1, where: { flow in !flow.state.steps.contains { $0.name == "pay" } })
  }

  private static func make(_ services: Services, settling: Flow<Tally, Tally>) -> Flow<Claim, Verdict> {
    Flow("expense") {
      Step("receipt") { (claim: Claim, context: StepContext) in
        Tally(claim: claim, began: try await context.once("began") { _ in services.clock.now })
      }
      seat(.first, services)
      Switch {
        Case("half", where: { (tally: Tally) in tally.needsSecond }) { seat(.second, services) }
        Otherwise {}
      }
      Switch {
        Case("undecided", where: { (tally: Tally) in tally.needsBoss }) { seat(.boss, services) }
        Otherwise {}
      }
      Switch {
        Case("payable", where: { (tally: Tally) in tally.isApproved }) { settling }
        Otherwise {}
      }
      Step("verdict") { (tally: Tally, context: StepContext) in
        let verdict = Verdict(tally)
        try await context.once("notice") { key in
          let text = "\(tally.claim.summary) is \(verdict.isApproved ? "approved" : "rejected"): \(verdict.reason)."
          try await services.post.send(Notice(key: key, to: tally.claim.submitter, text: text))
        }
        return verdict
      }
    }
  }

  /// A decision and its result, as a step of its own: so the history has the decision.
  private static func seat(_ seat: Seat, _ services: Services) -> Flow<Tally, Tally> {
    func last(_ decision: Vote.Decision) -> @Sendable (Tally) -> Tally? {
      { tally in tally.votes.last?.decision == decision ? tally : nil }
    }
    return Flow(seat.rawValue) {
      Step("decision") { SeatStep(seat, services) }
      Switch {
        Case("approved", last(.approved)) { Step("approved") { (tally: Tally) in tally } }
        Case("rejected", last(.rejected)) { Step("rejected") { (tally: Tally) in tally } }
        Otherwise { Step("silent") { (tally: Tally) in tally } }
      }
    }
  }

  private static func payment(_ services: Services) -> Flow<Tally, Tally> {
    Flow("payment") {
      // The step returns the payment alone, because that is what an operator completes it with.
      Step("pay") { PaymentStep(services.bank) }.carrying { tally, payment in tally.paid(payment) }
      Step("paid") { (tally: Tally) in tally }
    }
  }

  private static var booking: Flow<Tally, Tally> {
    Flow("booking") {
      Step("book") { (tally: Tally, context: StepContext) in
        _ = try await context.ask(BookingForm(claim: tally.claim))
        return tally
      }
    }
  }
}
