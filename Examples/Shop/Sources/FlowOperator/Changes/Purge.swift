import ArgumentParser

/// `actorflow purge`.
struct Purge: OperatorCommand {
  static let configuration = CommandConfiguration(
    abstract: "Removes flows that have ended, with their histories.",
    discussion: """
      Nothing brings them back: export them first. Flows whose `backUp` failed and is owed are kept.

      actorflow purge --ended-before 2026-01-01 --reason "retention of a year" --apply
      """)
  @OptionGroup var service: ServiceOptions
  @OptionGroup(title: "Filters") var filter: FlowFilter
  @Option(help: ArgumentHelp("Flows that ended before this time, such as 2026-01-01.", valueName: "time"))
  var endedBefore: String
  @Option(help: "The reason.") var reason: String
  @Flag(help: "Remove the flows. Without it they are listed, and nothing is removed.") var apply = false
  @Option(help: "The greatest number of flows to remove. Default: all that match.") var limit: Int?
  @Option(help: ArgumentHelp("Go on behind this cursor of an earlier command that has stopped.", valueName: "cursor"))
  var after: String?

  func validate() throws {
    try Reason.check(reason)
    if let limit { try Limits.check(limit) }
    guard !endedBefore.isEmpty else { throw ValidationError("--ended-before is empty.") }
  }

  func run(in session: Session) async throws {
    var values = RequestBody(reason: reason)
    values.set("query", json: filter.json)
    values.set("endedBefore", endedBefore)
    var bulk = BulkRun("purge", values, isApplied: apply, limit: limit, after: after, key: nil)
    try await bulk.run(in: session)
  }
}
