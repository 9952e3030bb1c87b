import ActorFlow

/// Waits at a gate while it backs up.
actor HoldingStep: FlowStep {
  private let log: Log
  private let gate: Gate
  init(_ log: Log, _ gate: Gate) { (self.log, self.gate) = (log, gate) }

  func proceed(_ input: String, context: StepContext) async throws -> String { input }

  func backUp(context: RollbackContext) async {
    await gate.pass()
    log.add("undo \(context.step.name)\(Task.isCancelled ? " in a cancelled task" : "")")
  }
}
