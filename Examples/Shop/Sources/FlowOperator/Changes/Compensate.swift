import ArgumentParser

/// `actorflow compensate`.
struct Compensate: OperatorCommand {
  static let configuration = CommandConfiguration(
    abstract: "Calls each `backUp` again that has failed and is owed.",
    discussion: "`list --rollback-failed` finds the flows, and `show` the steps with their errors.")
  @OptionGroup var service: ServiceOptions
  @Argument(help: "The id of the flow.") var flow: String
  @Option(help: "The step whose `backUp` is called. Default: all that failed.") var step: String?
  @Option(help: "The reason, for the history.") var reason: String
  @OptionGroup var idempotency: ChangeKey

  func validate() throws { try Reason.check(reason) }

  func run(in session: Session) async throws {
    var values = RequestBody(reason: reason)
    values.set("step", step)
    try await change(flow, "compensate", values, key: idempotency.orNew, in: session)
  }
}
