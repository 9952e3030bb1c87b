/// A change of many flows, page after page. Without `isApplied` it changes nothing.
struct BulkRun {
  /// The number of flows that the service is asked to change in one request, so that there is progress to see.
  static let page = 100

  let operation: String
  /// The values of the request, besides those of its page.
  let body: RequestBody
  let isApplied: Bool
  let limit: Int?
  var cursor: String?
  /// The idempotency key of each request; `nil` if the operation takes none.
  let key: String?

  private var matched = 0
  private var done = 0
  private var failed: Int { matched - done }

  init(_ operation: String, _ body: RequestBody, isApplied: Bool, limit: Int?, after cursor: String?, key: String?) {
    (self.operation, self.body, self.isApplied, self.limit) = (operation, body, isApplied, limit)
    (self.cursor, self.key) = (cursor, isApplied ? key : nil)
  }

  /// Sends requests until all flows that match are reached, or as many as the limit allows.
  ///
  /// - Throws: A ``ToolFailure`` that says how to go on, also if the change has failed for a flow.
  mutating func run(in session: Session) async throws {
    var isComplete = false
    while !isComplete {
      let report = try await page(in: session)
      let before = done
      let isFirst = matched == 0
      matched += report["matched"].count ?? 0
      done += report["done"].count ?? 0
      cursor = report["cursor"].string
      try show(report, in: session, isFirst: isFirst)
      if let code = report["stopped"].string {
        throw ToolFailure.refused("\(session.admin.place) has stopped after \(total): \(code).\(resumption)")
      }
      isComplete = report["isComplete"].isTrue
      // A purge without a cursor is repeated, as long as it removes something.
      if isComplete || limit.map({ matched >= $0 }) == true || (cursor == nil && done == before) { break }
      session.console.note("\(operation): \(total) so far\(cursor.map { ", up to --after '\($0)'" } ?? "")")
    }
    session.console.note(summary)
    if !isComplete {
      let rest = cursor.map { "--after '\($0)'" } ?? "the same command again"
      session.console.note("There are more: \(rest), or a greater --limit.")
    }
    if isApplied, failed > 0 { throw ToolFailure.refused("\(operation) has failed for \(Self.flows(failed))") }
  }

  private func page(in session: Session) async throws -> JSONValue {
    var body = body
    body.set("apply", isApplied)
    body.set("limit", limit.map { min($0 - matched, Self.page) } ?? Self.page)
    body.set("cursor", cursor)
    do { return try await session.admin.post("/\(operation)", body, key: key) } catch var failure as ToolFailure {
      if matched > 0 || cursor != nil { failure.message += " It was reached after \(total).\(resumption)" }
      throw failure
    }
  }

  private func show(_ report: JSONValue, in session: Session, isFirst: Bool) throws {
    var table = isApplied ? Table("FLOW", "STATUS BEFORE", "OUTCOME", "REASON") : Table("FLOW", "STATUS")
    for flow in report["flows"].items {
      if session.isJSON {
        try session.console.print(flow.description)
      } else if isApplied {
        table.add(flow["id"].text, flow["status"].text, flow["outcome"].text, flow["detail"].text ?? flow["code"].text)
      } else {
        table.add(flow["id"].text, flow["status"].text)
      }
    }
    try session.console.print(table, isFirst: isFirst)
  }

  private var total: String {
    isApplied ? "\(Self.flows(matched)), \(done) done, \(failed) failed" : Self.flows(matched)
  }

  private var summary: String {
    isApplied
      ? "\(operation): \(total)"
      : "\(operation): \(Self.flows(matched)) would be changed. This was a dry run: add --apply to change them."
  }

  /// The way to go on after an error.
  private var resumption: String {
    let options = [cursor.map { "--after '\($0)'" }, key.map { "--key \($0)" }].compactMap { $0 }
    return options.isEmpty ? "" : " To go on, give the same command with \(options.joined(separator: " "))"
  }

  private static func flows(_ count: Int) -> String { count == 1 ? "1 flow" : "\(count) flows" }
}
