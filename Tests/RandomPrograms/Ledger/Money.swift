import ActorFlow

/// Checks that no money is lost: after a rollback every payment was refunded once.
package func checkMoney(_ program: Program, _ world: World) throws(Complaint) {
  if let complaint = world.complaints.first { throw Complaint(complaint) }
  let settles = program.steps.contains { $0.policy == .settling }
  for (key, payment) in world.payments where payment.plan.undoing == .works && !settles {
    try expect(payment.refunds > 0, "rule 2: \(key) was paid by \(payment.plan.name) and never refunded")
  }
}
