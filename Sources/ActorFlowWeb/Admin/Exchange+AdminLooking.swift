import ActorFlow
import ActorFlowHosting

// The looks of operators.
extension Exchange {
  private static let historySize = 20
  private static let exportSize = 100
  /// The greatest number of flows that are counted. More are shown as that many.
  static let countLimit = 10_000

  func adminList() async throws -> WebResponse {
    try await allow(.operate(.list), nil)
    let page: FlowPage
    do {
      let filter = try AdminFilter(query, ignoring: ["cursor", "limit"]).query()
      let limit = try adminLimit()
      page = try await withCursor {
        try await site.host.list(filter, after: query["cursor"], limit: limit, by: principal)
      }
    } catch let problem as Problem where problem.status == 422 && !wantsJSON {
      return await adminPage(of: nil, problem)
    }
    guard wantsJSON else { return await adminPage(of: page) }
    return .json(
      .members([("flows", .array(page.flows.map { .summary($0) })), ("cursor", page.cursor.map { .text($0) })]))
  }

  func adminShow(_ id: FlowID) async throws -> WebResponse {
    let view = try await adminLook(id, .show)
    let entries = try await latestEntries(of: view)
    guard wantsJSON else { return await adminPage(of: view, entries) }
    return .json(
      .members([
        ("flow", .operated(view)), ("diagram", site.served(view.definition).map { .text($0.diagram(.mermaid, view)) }),
        ("history", .array(entries.map { .entry($0) })),
      ]))
  }

  /// Returns the latest entries of a flow's history.
  func latestEntries(of view: FlowView) async throws -> [HistoryEntry] {
    // Not every number is that of an entry, so more are read than shown.
    let first = max(0, view.sequence - 4 * Self.historySize)
    return Array(
      try await withRefusals { try await hosted(view.id).history(after: first).suffix(Self.historySize) })
  }

  func adminDiagram(_ id: FlowID) async throws -> WebResponse {
    let view = try await adminLook(id, .show)
    guard let served = site.served(view.definition) else {
      throw Problem(404, "notFound", "the site does not serve the definition of the flow, so there is no drawing of it")
    }
    return try drawing(of: view, served)
  }

  func adminHistory(_ id: FlowID) async throws -> WebResponse {
    let view = try await adminLook(id, .history)
    guard let after = Route.number(query["after"] ?? "0") else {
      throw Problem(400, "malformed", "the number of the last entry has digits alone")
    }
    let limit = try adminLimit()
    let entries = try await withRefusals { try await hosted(id).history(after: after, limit: limit) }
    let next = entries.count == limit ? entries.last?.sequence : nil
    if wantsAdminPage { return await adminHistoryPage(of: view, entries, next: next) }
    return .json(.members([("entries", .array(entries.map { .entry($0) })), ("next", next.map { .int($0) })]))
  }

  func adminTasks() async throws -> WebResponse {
    try await allow(.operate(.tasks), nil)
    let limit = try adminLimit()
    let tasks = TaskQuery(
      assignees: query["assignee"]?.listed, prompt: query["prompt"], definition: query["definition"], order: .due)
    let page = try await withCursor {
      try await site.host.tasks(tasks, after: query["cursor"], limit: limit, by: principal)
    }
    if wantsAdminPage { return await adminPage(of: page) }
    return .json(
      .members([("tasks", .array(page.tasks.map { .task($0) })), ("cursor", page.cursor.map { .text($0) })]))
  }

  func adminPlan() async throws -> WebResponse {
    try await allow(.operate(.plan), nil)
    let plan = try await withRefusals { try await site.host.plan() }
    if wantsAdminPage { return await adminPage(of: plan) }
    let counts = plan.counts
    return .json(
      .members([
        ("stay", .int(counts.stay)), ("move", .int(counts.move)), ("unmigrated", .int(counts.unmigrated)),
        ("unchecked", .int(counts.unchecked)), ("erased", .int(plan.erased)),
        ("lines", .texts(plan.description.split(separator: "\n").map(String.init))),
      ]))
  }

  /// Returns the numbers that a live view shows. A client asks again as often as it likes.
  func adminCounts() async throws -> WebResponse {
    try await allow(.operate(.list), nil)
    let definition = query["definition"]
    let (backlog, health) = try await withRefusals {
      (try await site.host.backlog(of: definition), await site.host.health())
    }
    var statuses: [(status: FlowSnapshot.Status, count: Int)] = []
    for status in FlowSnapshot.Status.allCases {
      let count = try await withRefusals {
        try await site.host.count(
          FlowQuery(definition: definition, status: [status]), upTo: Self.countLimit, by: principal)
      }
      statuses.append((status, count))
    }
    if wantsAdminPage { return await adminPage(of: statuses, backlog, health) }
    return .json(
      .members([
        ("status", .object(statuses.map { ($0.status.rawValue, .int($0.count)) })), ("due", .int(backlog.due)),
        ("oldestDue", backlog.oldestDue.map { .text(WireDate.text(of: $0)) }), ("live", .int(health.liveFlows)),
        ("isRunning", .bool(health.isRunning)), ("failedPolls", .int(health.failedPolls)),
        ("lastPoll", health.lastPoll.map { .text(WireDate.text(of: $0)) }),
      ]))
  }

  /// Returns flows with their whole histories, a JSON object a line, and last the cursor, if there are more.
  func adminExport() async throws -> WebResponse {
    try await allow(.operate(.export), nil)
    let filter = try AdminFilter(query, ignoring: ["cursor", "limit"]).query()
    let limit = min(try adminLimit(), Self.exportSize)
    let page = try await withCursor {
      try await site.host.list(filter, after: query["cursor"], limit: limit, by: principal)
    }
    var lines: [UInt8] = []
    for flow in page.flows {
      if let line = try await adminLine(of: flow.id) { lines += line.bytes + [0x0A] }
    }
    if let cursor = page.cursor { lines += JSON.members([("cursor", .text(cursor))]).bytes + [0x0A] }
    return WebResponse(status: 200, headers: ["Content-Type": "application/x-ndjson"], body: .bytes(lines))
  }

  /// Returns a flow with its history, or its id with the reason why it cannot be read: one such flow must not end an export.
  ///
  /// - Returns: `nil` for a flow that was removed meanwhile, or that the operator may not see.
  private func adminLine(of id: FlowID) async throws -> JSON? {
    do {
      let view = try await adminLook(id, .export)
      let entries = try await wholeHistory(of: id)
      return .members([("flow", .operated(view)), ("history", .array(entries.map { .entry($0) }))])
    } catch {
      let problem = Problem(forOperators: error)
      switch problem.status {
      case 403, 404: return nil
      // The store does not answer, or the request was given up: the operator repeats this page.
      case 503: throw problem
      default:
        return .members([
          ("id", .text(id.description)),
          ("problem", .members([("code", .text(problem.code)), ("detail", .text(problem.detail))])),
        ])
      }
    }
  }

  private func wholeHistory(of id: FlowID) async throws -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    while true {
      let page = try await withRefusals { try await hosted(id).history(after: entries.last?.sequence ?? 0) }
      entries += page
      if page.count < 1_000 { return entries }
    }
  }
}
