import ArgumentParser

/// `actorflow complete`.
struct Complete: OperatorCommand {
  static let configuration = CommandConfiguration(
    abstract: "Completes a step with an output in place of the step's own, and lets the flow go on.",
    discussion: """
      actorflow complete expense-17 decide --output '{"cents":9000,"by":"ann"}' --reason "ann approved by phone"

      The output is the JSON of what the step's `proceed` would have returned. Other people on the machine see arguments: \
      give an output with personal data as @FILE.
      """)
  @OptionGroup var service: ServiceOptions
  @Argument(help: "The id of the flow.") var flow: String
  @Argument(help: "The step: its path, or the last part.") var step: String
  @Option(help: ArgumentHelp("The output as JSON, or @ and the file that has it.", valueName: "json"))
  var output: String
  @Option(help: "The reason, for the history.") var reason: String
  @OptionGroup var idempotency: ChangeKey

  func validate() throws { try Reason.check(reason) }

  func run(in session: Session) async throws {
    var values = RequestBody(reason: reason)
    values.set("step", step)
    values.set("output", json: try RequestBody.value(output, of: "--output"))
    try await change(flow, "complete", values, key: idempotency.orNew, in: session)
  }
}

/// `actorflow enter`.
struct Enter: OperatorCommand {
  static let configuration = CommandConfiguration(
    abstract: "Enters a step anew, with another input.",
    discussion: "What the first visit did stays, and is compensated in its turn if the flow is rolled back.")
  @OptionGroup var service: ServiceOptions
  @Argument(help: "The id of the flow.") var flow: String
  @Argument(help: "The step: its path, or the last part.") var step: String
  @Option(help: ArgumentHelp("The input as JSON, or @ and the file that has it.", valueName: "json")) var input: String
  @Option(help: "The reason, for the history.") var reason: String
  @OptionGroup var idempotency: ChangeKey

  func validate() throws { try Reason.check(reason) }

  func run(in session: Session) async throws {
    var values = RequestBody(reason: reason)
    values.set("step", step)
    values.set("input", json: try RequestBody.value(input, of: "--input"))
    try await change(flow, "enter", values, key: idempotency.orNew, in: session)
  }
}
