import ArgumentParser

/// `actorflow history`.
struct ShowHistory: OperatorCommand {
  static let worksOnStore = true
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Shows the history of a flow: what happened when, at which step, by whom and why."
  )
  @OptionGroup var service: ServiceOptions
  @Argument(help: "The id of the flow.") var flow: String
  @Option(help: "Begin behind the entry of this number.") var after = 0

  func validate() throws {
    guard after >= 0 else { throw ValidationError("--after takes the number of an entry.") }
  }

  func run(in session: Session) async throws {
    var next: String? = "\(after)"
    while let number = next {
      let page = try await session.admin.get(
        AdminClient.path(of: flow, "history"), [("after", number), ("limit", "\(Limits.page)")])
      var table = Table(historyHeadings)
      for entry in page["entries"].items {
        if session.isJSON { try session.console.print(entry.description) } else { table.add(entry: entry) }
      }
      try session.console.print(table, isFirst: number == "\(after)")
      next = page["next"].text
    }
  }
}

let historyHeadings = ["ENTRY", "TIME", "WHAT", "STEP", "BY", "DETAIL"]

extension Table {
  /// Adds an entry of a history.
  mutating func add(entry: JSONValue) {
    add(
      entry["sequence"].text, entry["at"].text, entry["what"].text, entry["step"].text, entry["by"].text,
      entry["detail"].text)
  }
}
