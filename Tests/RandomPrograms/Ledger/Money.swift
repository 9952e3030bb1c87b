import ActorFlow

/// Checks that no money is lost: after a rollback every payment was refunded, but those that an operator gave up.
func checkMoney(_ program: Program, _ world: World) throws(Violation) {
  let settles = program.steps.contains { $0.policy == .settling }
  for (key, payment) in world.payments where payment.plan.backUpOutcome == .works && !settles && !payment.isGivenUp {
    try expect(payment.refunds > 0, "rule 2: \(key) was paid by \(payment.plan.name) and never refunded")
  }
}
