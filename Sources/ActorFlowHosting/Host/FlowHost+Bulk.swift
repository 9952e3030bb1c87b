public import ActorFlow

/// The outcome of a verb for many flows; see ``FlowHost/each(_:by:after:limit:atOnce:dryRun:progress:_:)``.
public struct BulkReport: Sendable {
  /// The flows that the query has found, in the order of the list.
  public var items: [Item] = []
  /// The cursor to go on from if ``isComplete`` is false; `nil` also at the beginning of the list.
  public var cursor: String?
  /// Whether all flows of the query were reached.
  public var isComplete = false
  /// The error that ended the operation early: `CancellationError`, or an error of the store while it listed flows;
  /// `nil` if the operation has reached its limit or the end of the list.
  public var stopped: (any Error)?

  /// A flow and its outcome.
  public struct Item: Sendable {
    /// The flow as it was listed, before the verb.
    public var flow: FlowSummary
    /// The outcome of the verb.
    public var outcome: Outcome
  }

  /// The outcome of the verb for one flow.
  @nonexhaustive public enum Outcome: Sendable {
    /// The verb has returned.
    case done
    /// The verb has thrown this error.
    case failed(any Error)
    /// The verb was not called: in a dry run, or because the calling task was cancelled before.
    case untouched
  }

  /// The flows whose verb has returned.
  public var done: [FlowID] {
    items.compactMap { if case .done = $0.outcome { $0.flow.id } else { nil } }
  }

  /// The flows whose verb has thrown, each with its error.
  public var failed: [(flow: FlowID, error: any Error)] {
    items.compactMap { if case .failed(let error) = $0.outcome { ($0.flow.id, error) } else { nil } }
  }
}

extension FlowHost {
  /// Calls a verb for each flow that matches a query, and reports the outcomes.
  ///
  /// A verb that throws stops no other. Flows are reached in the order of ``list(_:after:limit:by:)``, each once, even if
  /// they stop matching the query because of the verb. A flow may change between the list and the verb, which then
  /// refuses it as for any caller. Retries, refreshes, backs, abandons, notes and deletions are calls of the flow's verbs:
  ///
  /// ```swift
  /// var cursor: String?
  /// var failed: [FlowID] = []
  /// repeat {
  ///   let report = try await host.each(
  ///     FlowQuery(definition: "approval", status: [.suspended]), by: cleo, after: cursor, limit: 500
  ///   ) { flow in
  ///     try await flow.retry(reason: "the mail server is back", key: "incident-42")
  ///   }
  ///   failed += report.failed.map(\.flow)
  ///   cursor = report.cursor
  /// } while cursor != nil
  /// ```
  ///
  /// If the operation ends early, ``BulkReport/cursor`` leads to the first page with a flow that was not reached. Some
  /// flows of that page may have their outcome already, so give the requests an idempotency key, which may be the same for
  /// all flows. For an operation that is to go on after a crash of its process, keep the cursor of each report where it
  /// survives, and choose a `limit` that may be repeated.
  ///
  /// Cancelling the calling task cancels the verbs under way, begins no other, and returns the report.
  ///
  /// - Parameters:
  ///   - query: The flows.
  ///   - principal: The principal who lists the flows, and who changes them where the verb is given no other one.
  ///   - cursor: The cursor of an earlier report of the same query; `nil` to begin.
  ///   - limit: The greatest number of flows to reach. A number below 1 counts as 1.
  ///   - atOnce: The greatest number of verbs under way at once, from 1 to 1,000; others count as these.
  ///   - dryRun: Whether to list the flows only, and to call nothing.
  ///   - progress: Called in the calling task with each outcome, as it becomes known.
  ///   - verb: The verb. Called in a task of its own for each flow.
  /// - Throws: Errors of the store while it lists the first page: no verb was called then.
  public nonisolated func each(
    _ query: FlowQuery, by principal: Principal? = nil, after cursor: String? = nil, limit: Int = 1_000,
    atOnce: Int = 8, dryRun: Bool = false, progress: (BulkReport.Item) -> Void = { _ in },
    _ verb: @escaping @Sendable (HostedFlow) async throws -> Void
  ) async throws -> BulkReport {
    var report = BulkReport()
    report.cursor = cursor
    let (limit, atOnce) = (max(1, limit), min(max(1, atOnce), 1_000))
    while report.stopped == nil, report.items.count < limit {
      let page: FlowPage
      do {
        page = try await list(
          query, after: report.cursor, limit: min(limit - report.items.count, 10 * atOnce), by: principal)
      } catch {
        guard !report.items.isEmpty else { throw error }
        report.stopped = error
        return report
      }
      let items = await outcomes(of: page.flows, by: principal, atOnce, dryRun, progress, verb)
      report.items += items
      guard dryRun || !items.contains(where: { $0.outcome.isUntouched }) else {
        report.stopped = CancellationError()
        return report
      }
      report.cursor = page.cursor
      guard page.cursor != nil else {
        report.isComplete = true
        return report
      }
    }
    return report
  }

  /// Returns the outcomes of a page's flows in the order of the page.
  private nonisolated func outcomes(
    of flows: [FlowSummary], by principal: Principal?, _ atOnce: Int, _ dryRun: Bool,
    _ progress: (BulkReport.Item) -> Void, _ verb: @escaping @Sendable (HostedFlow) async throws -> Void
  ) async -> [BulkReport.Item] {
    var items = flows.map { BulkReport.Item(flow: $0, outcome: .untouched) }
    guard !dryRun else {
      for item in items { progress(item) }
      return items
    }
    await withTaskGroup(of: (Int, BulkReport.Outcome).self) { group in
      var next = 0
      func begin() {
        guard next < flows.count, !Task.isCancelled else { return }
        group.addTask { [index = next, flow = flow(flows[next].id, by: principal)] in
          do {
            try await verb(flow)
            return (index, .done)
          } catch { return (index, .failed(error)) }
        }
        next += 1
      }
      for _ in 0..<atOnce { begin() }
      while let (index, outcome) = await group.next() {
        items[index].outcome = outcome
        progress(items[index])
        begin()
      }
    }
    return items
  }
}

extension BulkReport.Outcome {
  fileprivate var isUntouched: Bool {
    if case .untouched = self { true } else { false }
  }
}
