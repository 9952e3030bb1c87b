import ActorFlow
import ActorFlowHosting

extension TableStore {
  func load(_ id: FlowID) async throws -> StoredFlow? {
    let key = key(id.description)
    var flow = try await read { $0.flows[key]?.flow }
    if fault == .readsInTwoParts, flow != nil {
      await letOthersWrite()
      flow?.snapshot.tasks = try await read { tables in tables.tasks.filter { $0.flow == key }.map(\.task) }
    }
    return flow
  }

  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    let key = key(id.description)
    let found = try await read { $0.history[key] ?? [] }
    let sorted = found.sorted { left, right in
      fault == .ordersHistoryByTime ? left.at < right.at : left.sequence < right.sequence
    }
    return Array(sorted.filter { $0.sequence > sequence }.prefix(rows(limit)))
  }

  func note(_ key: String) async throws -> StoreNote? { try await read { $0.notes[self.key(key)] } }

  /// Returns the number of rows that a page may have.
  private func rows(_ limit: Int) -> Int { fault == .hasNoLimitBelowOne && limit < 1 ? .max : max(1, limit) }

  /// Waits between the two parts of a read, long enough for a write.
  private func letOthersWrite() async {
    for _ in 0..<20 { await Task.yield() }
  }

  // MARK: - Flows

  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    let start = try cursor.map { try parts(of: $0, 1)[0] }
    var page = try await read { tables in
      let keys = tables.flows.keys.sorted { order($0, $1) }
      var names = start.map { start in keys.filter { order(start, $0) } } ?? keys
      if fault == .limitsBeforeItFilters { names = Array(names.prefix(rows(limit))) }
      var found: [FlowSummary] = []
      for key in names {
        guard let flow = tables.flows[key]?.flow else { continue }
        for _ in 0..<matches(of: query, FlowSummary(flow), key, tables) { found.append(FlowSummary(flow)) }
      }
      return FlowPage(flows: found, cursor: nil)
    }
    if page.flows.count > rows(limit) {
      page.flows = Array(page.flows.prefix(rows(limit)))
      page.cursor = page.flows.last.map { text(of: [key($0.id.description)]) }
    }
    if fault == .listsInTwoParts {
      await letOthersWrite()
      page.flows = try await read { tables in
        page.flows.map { flow in
          var flow = flow
          let rows = tables.labels.filter { $0.flow == key(flow.id.description) }
          flow.labels = Dictionary(rows.map { ($0.key, $0.value) }) { $1 }
          return flow
        }
      }
    }
    return page
  }

  /// Returns how many rows a flow has in a query's result.
  private func matches(of query: FlowQuery, _ flow: FlowSummary, _ key: TableKey, _ tables: Tables) -> Int {
    var other = query
    (other.definition, other.label, other.step) = (nil, nil, nil)
    guard other.matches(flow), query.definition.map({ isSame($0, flow.definition) }) ?? true else { return 0 }
    if let label = query.label {
      let isThere = tables.labels.contains {
        if fault == .comparesCharactersOfLabels {
          return $0.flow == key && $0.key == label.key && $0.value == label.value
        }
        return $0.flow == key && isSame($0.key, label.key) && isSame($0.value, label.value)
      }
      guard isThere else { return 0 }
    }
    guard let step = query.step else { return 1 }
    let count = flow.steps.count { path in
      fault == .matchesPatterns ? path.path.hasSuffix(step.path) : step.matches(path)
    }
    return fault == .joinsSteps ? count : min(count, 1)
  }

  // MARK: - Questions

  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    let start = try cursor.map { try parts(of: $0, query.order == .flow ? 2 : 4) }
    let order = TableKey("\(query.order)")
    if query.order != .flow, let start, start[0] != order {
      throw FlowStoreError(.notFound, "the cursor is one of another order")
    }
    return try await read { tables in
      let sorted = tables.tasks.map { (key: key(of: $0.task, $0.flow, in: query.order), row: $0) }.sorted {
        $0.key.lexicographicallyPrecedes($1.key)
      }
      var rows = start.map { start in sorted.filter { start.lexicographicallyPrecedes($0.key) } } ?? sorted
      if fault == .limitsBeforeItFilters { rows = Array(rows.prefix(self.rows(limit))) }
      var found: [TaskSummary] = []
      for (_, row) in rows {
        guard let id = tables.flows[row.flow]?.flow.id ?? deleted(row) else { continue }
        let labels = tables.labels.filter { $0.flow == row.flow }.map { ($0.key, $0.value) }
        let summary = TaskSummary(
          flow: id, definition: row.definition, labels: Dictionary(labels) { $1 }, task: row.task)
        guard matches(query, summary) else { continue }
        let count = fault == .joinsAssignees ? joined(query, row) : 1
        for _ in 0..<count { found.append(summary) }
      }
      let page = Array(found.prefix(self.rows(limit)))
      let last = page.last.map { last in
        var task = last.task
        task.question = StoreCursor.part(of: task.question)
        return text(of: key(of: task, key(last.flow.description), in: query.order))
      }
      return TaskPage(tasks: page, cursor: found.count > page.count ? last : nil)
    }
  }

  /// Returns the key of a question; times are numbers of one length, and a missing one comes last.
  private func key(of task: OpenTask, _ flow: TableKey, in order: TaskQuery.Order) -> [TableKey] {
    let key = [flow, TableKey(task.question)]
    if order == .flow { return key }
    let time = order.time(of: task)
    let number = time.map { "\(UInt64(bitPattern: $0.microseconds) ^ 1 << 63)" }
    let text = number.map { String(repeating: "0", count: 20 - $0.utf8.count) + $0 } ?? "none"
    return [TableKey("\(order)"), TableKey(text)] + key
  }

  /// Returns the id in a row that was left behind.
  private func deleted(_ row: Tables.TaskRow) -> FlowID? { FlowID(String(decoding: row.flow.bytes, as: UTF8.self)) }

  /// Returns how often a question is in a join with the table of assignees.
  private func joined(_ query: TaskQuery, _ row: Tables.TaskRow) -> Int {
    guard let assignees = query.assignees else { return max(1, row.task.assignees.count) }
    return Set(row.task.assignees).intersection(assignees).count
  }

  private func matches(_ query: TaskQuery, _ summary: TaskSummary) -> Bool {
    var other = query
    (other.assignees, other.prompt, other.definition) = (nil, nil, nil)
    guard other.matches(summary) else { return false }
    if let assignees = query.assignees {
      let isAssigned = summary.task.assignees.contains { name in
        assignees.contains { isSame(name, $0) && (fault != .findsFirstAssignee || isSame($0, assignees[0])) }
      }
      guard isAssigned else { return false }
    }
    if let prompt = query.prompt, !isSame(prompt, summary.task.prompt) { return false }
    return query.definition.map { isSame($0, summary.definition) } ?? true
  }

  // MARK: - Cursors

  private func text(of keys: [TableKey]) -> String {
    keys.map { "[" + $0.bytes.map { "\($0)" }.joined(separator: " ") + "]" }.joined()
  }

  private func parts(of cursor: String, _ count: Int) throws -> [TableKey] {
    let parts = cursor.split(separator: "[").map { part in
      TableKey(String(decoding: part.dropLast().split(separator: " ").compactMap { UInt8($0) }, as: UTF8.self))
    }
    guard parts.count == count, cursor.hasSuffix("]") else {
      throw FlowStoreError(.notFound, "the cursor is not from this store")
    }
    return parts
  }
}
