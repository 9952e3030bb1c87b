import ArgumentParser

/// `actorflow list`.
struct ListFlows: OperatorCommand {
  static let worksOnStore = true
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists flows.",
    discussion: """
      Without a filter these are all flows of the service's store. The columns are the id, the definition with its version, \
      the status, the steps in focus and the time of the last change.

      actorflow list --status suspended --definition checkout
      """)
  @OptionGroup var service: ServiceOptions
  @OptionGroup(title: "Filters") var filter: FlowFilter
  @Option(help: "The greatest number of flows.") var limit = 100
  @Option(help: ArgumentHelp("Go on behind this cursor of an earlier list.", valueName: "cursor")) var after: String?

  func validate() throws { try Limits.check(limit) }

  func run(in session: Session) async throws {
    var (left, cursor) = (limit, after)
    repeat {
      let page = try await session.admin.get(
        "/flows", filter.pairs + [("limit", "\(min(left, Limits.page))"), ("cursor", cursor)])
      var table = Table("FLOW", "DEFINITION", "STATUS", "STEPS", "CHANGED")
      for flow in page["flows"].items {
        if session.isJSON {
          try session.console.print(flow.description)
        } else {
          let definition = flow["definition"].text.map { "\($0) \(flow["version"].text ?? "")" }
          let status = flow["status"].text.map { $0 + (flow["rollbackFailed"].isTrue ? ", rollback failed" : "") }
          table.add(flow["id"].text, definition, status, flow["steps"].text, flow["changedAt"].text)
        }
      }
      try session.console.print(table, isFirst: left == limit)
      left -= page["flows"].items.count
      cursor = page["cursor"].string
    } while cursor != nil && left > 0
    if let cursor { session.console.note("There are more: --after '\(cursor)', or a greater --limit.") }
  }
}

/// The limits of pages.
enum Limits {
  /// The largest page that a service gives.
  static let page = 1_000

  static func check(_ limit: Int) throws {
    guard limit > 0 else { throw ValidationError("--limit takes a number of 1 or more.") }
  }
}
