#if SQLite
  public import ActorFlow
  public import ActorFlowHosting

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension SQLiteFlowStore {
    /// Returns a stored flow, or `nil` if there is no such flow; see `FlowStore.load(_:)`.
    public func load(_ id: FlowID) async throws -> StoredFlow? {
      try await readers.read { try StoredFlow.find(id, in: $0) }
    }

    /// Returns a page of the flows that match a query; see `FlowStore.list(_:after:limit:)`.
    public func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
      let after = try cursor.map { try StoreCursor($0, parts: 1).parts[0] }
      return try await readers.read { database in
        var conditions = Conditions()
        if let after { conditions.add("f.id > ?", .text(after)) }
        conditions.add(query)
        let index = query.index.map { "INDEXED BY \($0)" } ?? ""
        var page = FlowPage(flows: [], cursor: nil)
        try database.each(
          "SELECT \(FlowSummary.columns) FROM flows f \(index) \(conditions.sql) ORDER BY f.id", conditions.values
        ) { row in
          let flow: FlowSummary
          // A row that cannot be read is left out, so that it does not hide all the others.
          do { flow = try FlowSummary(row) } catch is FlowStoreError { return true }
          guard query.matches(flow) else { return true }
          if page.flows.count >= max(1, limit), let last = page.flows.last {
            page.cursor = StoreCursor([last.id.description]).description
            return false
          }
          page.flows.append(flow)
          return true
        }
        return page
      }
    }

    /// Returns a page of the open questions that match a query; see `FlowStore.tasks(_:after:limit:)`.
    public func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
      let after = try cursor.map { try TaskCursor($0) }
      return try await readers.read { database in
        var conditions = Conditions()
        // The keys of the inbox and of the questions are in the same order.
        let key = query.assignee == nil ? "t" : "a"
        if let after {
          conditions.add(
            "(\(key).flow, \(key).question, \(key).place) > (?, ?, ?)", .int(after.flow), .text(after.question),
            .int(after.place))
        }
        conditions.add(query)
        let inbox =
          query.assignee == nil
          ? "flow_tasks t"
          : """
          flow_assignees a JOIN flow_tasks t ON t.flow = a.flow AND t.question = a.question AND t.place = a.place
          """
        var page = TaskPage(tasks: [], cursor: nil)
        var last: TaskCursor?
        try database.each(
          """
          SELECT \(TaskRow.columns), t.flow, f.id, f.definition FROM \(inbox) CROSS JOIN flows f ON f.number = t.flow
            \(conditions.sql) ORDER BY \(key).flow, \(key).question, \(key).place
          """, conditions.values
        ) { row in
          let task = TaskRow(row)
          let summary: TaskSummary
          do {
            summary = TaskSummary(flow: FlowID(row.text(8)), definition: row.text(9), task: try task.task)
          } catch is FlowStoreError {
            // As in the list of flows.
            return true
          }
          guard query.matches(summary) else { return true }
          if page.tasks.count >= max(1, limit) {
            page.cursor = last?.description
            return false
          }
          page.tasks.append(summary)
          last = TaskCursor(flow: row.int(7), question: task.question, place: task.place)
          return true
        }
        return page
      }
    }

    /// Returns a flow's history, oldest entry first; see `FlowStore.history(of:after:limit:)`.
    public func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
      try await readers.read { database in
        try database.all(
          """
          SELECT h.sequence, h.at, h.what, h.step, h.principal, h.detail FROM flows f JOIN flow_history h
            ON h.flow = f.number WHERE f.id = ? AND h.sequence > ? ORDER BY h.sequence LIMIT ?
          """, .text(id.description), .int(sequence), .int(max(1, limit))
        ) { row in
          HistoryEntry(
            sequence: row.int(0), at: row.date(1), what: row.text(2),
            step: row.optionalText(3).map { StepID($0) }, by: row.optionalText(4), detail: row.optionalText(5))
        }
      }
    }

    /// Returns the note under a key, or `nil` if there is none; see `FlowStore.note(_:)`.
    public func note(_ key: String) async throws -> StoreNote? {
      try await readers.read { try StoreNote.find(key, in: $0) }
    }
  }

  /// The key of the last question of a page.
  private struct TaskCursor: CustomStringConvertible {
    let flow: Int
    let question: String
    let place: Int

    init(flow: Int, question: String, place: Int) {
      (self.flow, self.question, self.place) = (flow, question, place)
    }

    init(_ text: String) throws(FlowStoreError) {
      let parts = try StoreCursor(text, parts: 3).parts
      guard let flow = Int(parts[0]), let place = Int(parts[2]) else {
        throw FlowStoreError(.notFound, "the cursor is not from this store's list of questions")
      }
      (self.flow, question, self.place) = (flow, parts[1], place)
    }

    var description: String { StoreCursor(["\(flow)", question, "\(place)"]).description }
  }

  extension FlowQuery {
    /// The index that SQLite must use: it knows no counts, so it would read all flows in the order of their ids to find
    /// the few that are runnable or due.
    fileprivate var index: String? {
      guard label == nil else { return nil }
      if status == [.runnable] { return "flows_runnable" }
      return status == [.waiting] && dueBefore != nil ? "flows_timed" : nil
    }
  }

  /// The conditions of a list in SQL. They narrow a list; the query itself decides about each row.
  struct Conditions {
    private var texts: [String] = []
    private(set) var values: [SQLiteValue] = []

    var sql: String { texts.isEmpty ? "" : "WHERE " + texts.joined(separator: " AND ") }

    mutating func add(_ text: String, _ values: SQLiteValue...) {
      texts.append(text)
      self.values += values
    }

    /// A time in a query is not rounded, so `<=` lets all pass that may be before the time.
    mutating func add(_ query: FlowQuery) {
      // A label is rarer than the rest. The sign keeps SQLite from using an index of a column.
      let sign = query.label == nil ? "" : "+"
      if let definition = query.definition { add("\(sign)f.definition = ?", .text(definition)) }
      if let version = query.version { add("\(sign)f.version = ?", .int(version)) }
      if let dueBefore = query.dueBefore { add("\(sign)f.wake_at <= ?", .time(dueBefore)) }
      if let label = query.label {
        add(
          "f.number IN (SELECT flow FROM flow_labels WHERE key = ? AND value = ?)", .text(label.key),
          .text(label.value))
      }
      if let status = query.status {
        let names = status.map { "'\($0.rawValue)'" }.sorted()
        add("\(sign)f.status " + (names.count == 1 ? "= \(names[0])" : "IN (\(names.joined(separator: ", ")))"))
        // The words of the indexes that hold a part of the flows, which serve only a statement that has them.
        if !status.contains(where: \.isClaimable) { add("\(sign)f.status NOT IN ('runnable', 'waiting')") }
        if status == [.waiting], query.dueBefore != nil { add("\(sign)f.wake_at IS NOT NULL") }
      }
    }

    mutating func add(_ query: TaskQuery) {
      if let assignee = query.assignee { add("a.assignee = ?", .text(assignee)) }
      if let prompt = query.prompt { add("t.prompt = ?", .text(prompt)) }
      if let definition = query.definition { add("f.definition = ?", .text(definition)) }
      if let dueBefore = query.dueBefore { add("t.due_at <= ?", .time(dueBefore)) }
    }
  }
#endif
