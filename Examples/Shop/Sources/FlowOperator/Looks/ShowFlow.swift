import ArgumentParser

/// `actorflow show`.
struct ShowFlow: OperatorCommand {
  static let worksOnStore = true
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows a flow: its position, its open questions, what went wrong, its drawing and its latest history.",
    discussion: """
      The drawing is text for Mermaid, with the position marked. It is there if the service serves the definition as pages.
      """)
  @OptionGroup var service: ServiceOptions
  @Argument(help: "The id of the flow.") var flow: String
  @Flag(inversion: .prefixedNo, help: "Print the drawing.") var diagram = true

  func run(in session: Session) async throws {
    let reply = try await session.admin.get(AdminClient.path(of: flow))
    if session.isJSON { return try session.console.print(reply.description) }
    let view = reply["flow"]
    try session.console.print(visible: view["id"].text ?? flow)
    for (name, text) in Self.facts(of: view) {
      guard let text else { continue }
      let label = name + String(repeating: " ", count: max(0, 12 - name.count))
      try session.console.print(visible: "  \(label) \(text.onOneLine)")
    }
    var questions = Table("QUESTION", "PROMPT", "STEP", "FOR", "ASKED", "DUE")
    for question in view["questions"].items {
      questions.add(
        question["number"].text, question["prompt"].text, question["step"].text, question["assignees"].text,
        question["askedAt"].text, question["due"].text)
    }
    var failures = Table("FAILED BACKUP", "OWED", "ERROR")
    for failure in view["undoFailures"].items {
      failures.add(failure["step"].text, failure["isOwed"].isTrue ? "yes" : "no", failure["error"].text)
    }
    var history = Table(historyHeadings)
    for entry in reply["history"].items { history.add(entry: entry) }
    for table in [questions, failures, history] where !table.isEmpty {
      try session.console.print("")
      try session.console.print(table)
    }
    if diagram, let drawing = reply["diagram"].string {
      try session.console.print("")
      try session.console.print(visible: drawing)
    }
  }

  private static func facts(of view: JSONValue) -> [(String, String?)] {
    [
      ("definition", view["definition"].text.map { "\($0) \(view["version"].text ?? "")" }),
      ("status", view["status"].text), ("reason", view["reason"].text), ("failure", view["failure"].text),
      ("steps", view["steps"].text),
      ("stack", view["stack"].items.isEmpty ? nil : view["stack"].items.compactMap(\.text).joined(separator: " > ")),
      ("signals", view["signals"].text), ("labels", view["labels"].text),
      ("can back up", view["canBackUp"].isTrue ? "yes" : nil), ("redacted", view["isRedacted"].isTrue ? "yes" : nil),
      ("revision", view["revision"].text), ("started", view["startedAt"].text), ("changed", view["changedAt"].text),
      ("wakes", view["wakeAt"].text),
    ]
  }
}
