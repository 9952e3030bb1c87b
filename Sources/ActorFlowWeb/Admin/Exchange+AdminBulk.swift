import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Operators' changes of many flows. Without `"apply": true` they change nothing and say which flows they would reach.
extension Exchange {
  private static let bulkSize = 100

  func adminChanges(_ operation: FlowSite.Operation) async throws -> WebResponse {
    try await allow(.operate(operation), nil)
    let submission = try Submission(request)
    let order = try AdminOrder(submission, for: operation, isBulk: true)
    let limit = order.limit ?? Self.bulkSize
    guard (1...1_000).contains(limit) else { throw Problem(422, "invalid", "the limit is a number from 1 to 1,000") }
    // An empty query means all flows, so it has to be said.
    let flows = try AdminOrder.needed(order.query, "query").query()
    guard operation != .purge else { return try await purge(flows, order, limit) }
    let key = try RequestKey.key(of: request, submission, by: principal)?.forHost
    guard let verb = try Self.verb(operation, order, key) else {
      throw Problem(404, "notFound", "there is nothing at this path")
    }
    let dryRun = order.apply != true
    let report = try await withCursor {
      try await site.host.each(flows, by: principal, after: order.cursor, limit: limit, dryRun: dryRun) { [self] flow in
        try await allow(.operate(operation), try await flow.view())
        _ = try await withRefusals { try await verb(flow) }
      }
    }
    return .json(
      .members([
        ("applied", .bool(!dryRun)), ("matched", .int(report.items.count)), ("done", .int(report.done.count)),
        ("flows", .array(report.items.map(Self.json))), ("isComplete", .bool(report.isComplete)),
        ("cursor", report.cursor.map { .text($0) }),
        ("stopped", report.stopped.map { .text(Problem($0).code) }),
      ]))
  }

  private static func json(_ item: BulkReport.Item) -> JSON {
    var problem: Problem?
    let outcome: String
    switch item.outcome {
    case .done: outcome = "done"
    case .failed(let error): (outcome, problem) = ("failed", Problem(error))
    default: outcome = "untouched"
    }
    return .members([
      ("id", .text(item.flow.id.description)), ("status", .text(item.flow.status.rawValue)),
      ("outcome", .text(outcome)), ("code", problem.map { .text($0.code) }),
      ("detail", problem.map { .text($0.detail) }),
    ])
  }

  private func purge(_ flows: FlowQuery, _ order: AdminOrder, _ limit: Int) async throws -> WebResponse {
    let text = try AdminOrder.needed(order.endedBefore, "endedBefore")
    guard let time = WireDate.date(of: text) else {
      throw Problem(
        422, "invalid", "the time \"endedBefore\" is not a date as ISO 8601 has it",
        fields: [FieldProblem(field: "endedBefore", message: "not a date", code: "invalid")])
    }
    guard order.apply == true else { return try await purgePlan(flows, time, limit) }
    let report = try await withRefusals { try await site.host.purge(flows, endedBefore: time, limit: limit) }
    return .json(
      .members([
        ("applied", .bool(true)), ("matched", .int(report.purged.count + report.kept.count)),
        ("done", .int(report.purged.count)),
        (
          "flows",
          .array(
            report.purged.map { .members([("id", .text($0.description)), ("outcome", .text("done"))]) }
              + report.kept.sorted { $0.key.description < $1.key.description }.map { id, error in
                .members([
                  ("id", .text(id.description)), ("outcome", .text("failed")), ("code", .text(Problem(error).code)),
                ])
              })
        ), ("isComplete", .bool(report.isComplete)),
      ]))
  }

  /// Returns the flows that a purge would remove.
  private func purgePlan(_ flows: FlowQuery, _ time: Date, _ limit: Int) async throws -> WebResponse {
    var ended = flows
    ended.status = (flows.status ?? Set(FlowSnapshot.Status.allCases)).filter(\.isTerminal)
    ended.changedBefore = min(flows.changedBefore ?? time, time)
    let page = try await withRefusals { try await site.host.list(ended, limit: limit, by: principal) }
    return .json(
      .members([
        ("applied", .bool(false)), ("matched", .int(page.flows.count)), ("done", .int(0)),
        (
          "flows",
          .array(
            page.flows.map { flow in
              .members([
                ("id", .text(flow.id.description)), ("status", .text(flow.status.rawValue)),
                ("outcome", .text("untouched")),
              ])
            })
        ), ("isComplete", .bool(page.cursor == nil)),
      ]))
  }
}
