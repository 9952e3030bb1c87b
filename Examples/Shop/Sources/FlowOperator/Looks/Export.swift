import ArgumentParser

/// `actorflow export`.
struct Export: OperatorCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints flows with their whole histories, a line of JSON for each flow.",
    discussion: """
      A line has the members `flow` and `history`. Inputs, outputs, prompts and answers are not in it. If the export stops, \
      the error has the cursor to go on from: the lines printed by then are whole, and none is printed twice.

      actorflow export --status finished,failure > ended.jsonl
      """)
  @OptionGroup var service: ServiceOptions
  @OptionGroup(title: "Filters") var filter: FlowFilter
  @Option(help: ArgumentHelp("Go on behind this cursor.", valueName: "cursor")) var after: String?
  @Option(help: "The number of flows that are asked for at once, 100 at most.") var page = 100

  func validate() throws {
    guard (1...100).contains(page) else { throw ValidationError("--page takes a number from 1 to 100.") }
  }

  func run(in session: Session) async throws {
    var (cursor, count) = (after, 0)
    repeat {
      var lines: [String]
      do {
        lines = try await session.admin.lines(
          "/export", filter.pairs + [("limit", "\(page)"), ("cursor", cursor)])
      } catch var failure as ToolFailure {
        if let cursor { failure.message += " To go on behind the flow that was printed last: --after '\(cursor)'" }
        throw failure
      }
      cursor = nil
      for line in lines {
        guard let value = JSONValue(line.utf8) else { throw session.admin.foreign() }
        // The last line of a page has the cursor alone.
        if let next = value["cursor"].string, value["flow"] == .null {
          cursor = next
        } else {
          try session.console.print(line)
          count += 1
        }
      }
      if cursor != nil { session.console.note("\(count) flows") }
    } while cursor != nil
    session.console.note("\(count) flows, done")
  }
}
