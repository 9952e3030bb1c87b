import ActorFlow

/// Checks that no money is lost: after a rollback every payment was refunded once.
func checkMoney(_ program: Program, _ world: World) throws(Violation) {
  let settles = program.steps.contains { $0.policy == .settling }
  for (key, payment) in world.payments where payment.plan.backUpOutcome == .works && !settles {
    try expect(payment.refunds > 0, "rule 2: \(key) was paid by \(payment.plan.name) and never refunded")
  }
}
