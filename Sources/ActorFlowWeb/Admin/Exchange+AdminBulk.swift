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
    guard (1...1_000).contains(limit) else { throw AdminOrder.problem("limit", "not a number from 1 to 1,000") }
    // An empty query means all flows, so it has to be said.
    var flows = try AdminOrder.needed(order.query, "query").query()
    let key = try RequestKey.key(of: request, submission, by: principal)?.forHost
    let verb: @Sendable (HostedFlow) async throws -> Void
    if operation == .purge {
      let time = try Self.end(order)
      let reason = try order.neededReason
      flows = try Self.ended(flows, before: time)
      verb = { try await $0.purge(endedBefore: time, reason: reason) }
    } else {
      guard let single = try Self.verb(operation, order, key) else {
        throw Problem(404, "notFound", "there is nothing at this path")
      }
      verb = { _ = try await single($0) }
    }
    let isApplied = order.apply == true
    // A dry run asks for the rights as well, so that it lists no flow as reached that would be refused.
    let report = try await withCursor {
      try await site.host.each(flows, by: principal, after: order.cursor, limit: limit) { [self] flow in
        let view = try await withRefusals { try await flow.view() }
        try await allow(.operate(operation), view)
        if isApplied { return try await withRefusals { try await verb(flow) } }
        if operation == .purge, !view.undoFailures.isEmpty {
          throw Problem(409, "rollbackFailed", "a `backUp` of the flow has failed, and can still be retried")
        }
      }
    }
    return .json(Self.json(report, isApplied: isApplied))
  }

  /// The time before which the flows of a purge have ended.
  private static func end(_ order: AdminOrder) throws(Problem) -> Date {
    let text = try AdminOrder.needed(order.endedBefore, "endedBefore")
    guard let time = WireDate.date(of: text) else {
      throw AdminOrder.problem("endedBefore", "not a date as ISO 8601 has it")
    }
    return time
  }

  /// Returns the query for those flows of a query that have ended, as the store lists them.
  private static func ended(_ flows: FlowQuery, before time: Date) throws(Problem) -> FlowQuery {
    var ended = flows
    let statuses = (flows.status ?? Set(FlowSnapshot.Status.allCases)).filter(\.isTerminal)
    guard !statuses.isEmpty else {
      throw AdminOrder.problem("query.status", "none of a flow that has ended; a purge removes no other flows")
    }
    ended.status = statuses
    ended.changedBefore = min(flows.changedBefore ?? time, time)
    return ended
  }

  private static func json(_ report: BulkReport, isApplied: Bool) -> JSON {
    .members([
      ("applied", .bool(isApplied)), ("matched", .int(report.items.count)),
      ("done", .int(isApplied ? report.done.count : 0)),
      ("flows", .array(report.items.map { json($0, isApplied: isApplied) })), ("isComplete", .bool(report.isComplete)),
      ("cursor", report.cursor.map { .text($0) }),
      ("stopped", report.stopped.map { .text(Problem(forOperators: $0).code) }),
    ])
  }

  private static func json(_ item: BulkReport.Item, isApplied: Bool) -> JSON {
    var problem: Problem?
    let outcome: String
    switch item.outcome {
    case .done: outcome = isApplied ? "done" : "untouched"
    case .failed(let error): (outcome, problem) = (isApplied ? "failed" : "refused", Problem(forOperators: error))
    default: outcome = "untouched"
    }
    return .members([
      ("id", .text(item.flow.id.description)), ("status", .text(item.flow.status.rawValue)),
      ("outcome", .text(outcome)), ("code", problem.map { .text($0.code) }),
      ("detail", problem.map { .text($0.detail) }),
    ])
  }
}
