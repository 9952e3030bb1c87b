import ArgumentParser

/// `actorflow tasks`.
struct ListTasks: OperatorCommand {
  static let worksOnStore = true
  static let configuration = CommandConfiguration(
    commandName: "tasks", abstract: "Lists the open questions of all people, the earliest due first.",
    discussion: "`reassign` takes the number of a question.")
  @OptionGroup var service: ServiceOptions
  @Option(help: ArgumentHelp("Questions for one of these people or roles.", valueName: "name,..."))
  var assignee: String?
  @Option(help: ArgumentHelp("Questions with this prompt.", valueName: "name")) var prompt: String?
  @Option(help: ArgumentHelp("Questions of flows of this definition.", valueName: "name")) var definition: String?
  @Option(help: "The greatest number of questions.") var limit = 100

  func validate() throws { try Limits.check(limit) }

  func run(in session: Session) async throws {
    var (left, cursor) = (limit, String?.none)
    repeat {
      let page = try await session.admin.get(
        "/tasks",
        [
          ("assignee", assignee), ("prompt", prompt), ("definition", definition),
          ("limit", "\(min(left, Limits.page))"), ("cursor", cursor),
        ])
      var table = Table("FLOW", "QUESTION", "PROMPT", "STEP", "FOR", "ASKED", "DUE")
      for task in page["tasks"].items {
        if session.isJSON {
          try session.console.print(task.description)
        } else {
          table.add(
            task["flow"].text, task["number"].text, task["prompt"].text, task["step"].text, task["assignees"].text,
            task["askedAt"].text, task["due"].text)
        }
      }
      try session.console.print(table, isFirst: left == limit)
      left -= page["tasks"].items.count
      cursor = page["cursor"].string
    } while cursor != nil && left > 0
    // The cursor has the secret digits of a question, which give the right to answer, so it is not shown.
    if cursor != nil { session.console.note("There are more: give a greater --limit.") }
  }
}
