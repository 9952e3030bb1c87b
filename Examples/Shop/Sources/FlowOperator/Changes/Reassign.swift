import ArgumentParser

/// `actorflow reassign`.
struct Reassign: OperatorCommand {
  static let configuration = CommandConfiguration(
    abstract: "Assigns an open question to other people, until it is closed.",
    discussion: "actorflow reassign expense-3 --question 1 --to mia --to ben --reason \"ann is ill\"")
  @OptionGroup var service: ServiceOptions
  @Argument(help: "The id of the flow.") var flow: String
  @Option(help: ArgumentHelp("The number of the question, as `show` and `tasks` print it.", valueName: "number"))
  var question: Int
  @Option(help: ArgumentHelp("A person or a role; give it again for more.", valueName: "name")) var to: [String]
  @Option(help: "The reason, for the history.") var reason: String
  @Option(help: "The revision of the question that you have seen: refused if it has changed since.") var revision: Int?
  @OptionGroup var idempotency: ChangeKey

  func validate() throws {
    try Reason.check(reason)
    guard !to.isEmpty, !to.contains("") else { throw ValidationError("--to takes the name of a person or a role.") }
  }

  func run(in session: Session) async throws {
    var values = RequestBody(reason: reason)
    values.set("question", question)
    values.set("assignees", to)
    values.set("revision", revision)
    try await change(flow, "reassign", values, key: idempotency.orNew, in: session)
  }
}
