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
        var page = FlowPage(flows: [], cursor: nil)
        try database.eachFlow(query, after: after) { flow in
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
      let after = try cursor.map { try TaskCursor($0, of: query.order) }
      return try await readers.read { database in
        var page = TaskPage(tasks: [], cursor: nil)
        var last: TaskCursor?
        try database.eachTask(query, after: after) { key, task in
          if page.tasks.count >= max(1, limit) {
            page.cursor = last?.description
            return false
          }
          page.tasks.append(task)
          last = key
          return true
        }
        return page
      }
    }

    /// Counts the flows that match a query, up to a limit, in one transaction; see `FlowStore.count(_:upTo:)`.
    public func count(_ query: FlowQuery, upTo limit: Int) async throws -> Int {
      try await readers.read { database in
        var count = 0
        try database.eachFlow(query, after: nil) { _ in
          count += 1
          return count < limit
        }
        return count
      }
    }

    /// Counts the open questions that match a query, up to a limit, in one transaction; see `FlowStore.count(_:upTo:)`.
    public func count(_ query: TaskQuery, upTo limit: Int) async throws -> Int {
      try await readers.read { database in
        var query = query
        query.order = .flow
        var count = 0
        try database.eachTask(query, after: nil) { _, _ in
          count += 1
          return count < limit
        }
        return count
      }
    }

    /// Returns a page of the flows that have changed; see `FlowStore.changed(_:after:limit:)`.
    public func changed(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> ChangePage {
      let start = try cursor.map { (text) throws(FlowStoreError) in try ChangeCursor(text) }
      return try await readers.read { database in
        let end = try ChangeCursor.end(in: database)
        guard start.map({ $0 <= end }) ?? true else { throw StoreCursor.isAhead }
        var page = ChangePage(changes: [], cursor: end.description)
        try database.eachChange(of: query, after: start) { cursor, flow in
          page.changes.append(FlowChange(flow: flow, cursor: cursor.description))
          guard page.changes.count >= max(1, limit) else { return true }
          page.cursor = cursor.description
          return false
        }
        return page
      }
    }

    /// Returns the cursor behind all changes; see `FlowStore.lastChange()`.
    public func lastChange() async throws -> String {
      try await readers.read { try ChangeCursor.end(in: $0).description }
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

  extension Database {
    /// Gives the flows that match a query to `body`, by id, until that returns false.
    fileprivate func eachFlow(
      _ query: FlowQuery, after id: String?, _ body: (FlowSummary) throws -> Bool
    ) throws {
      var conditions = Conditions()
      if let id { conditions.add("f.id > ?", .text(id)) }
      conditions.add(query)
      let index = query.index.map { "INDEXED BY \($0)" } ?? ""
      try each(
        "SELECT \(FlowSummary.columns) FROM flows f \(index) \(conditions.sql) ORDER BY f.id", conditions.values
      ) { row in
        let flow: FlowSummary
        // A row that cannot be read is left out, so that it does not hide all the others.
        do { flow = try FlowSummary(row) } catch is FlowStoreError { return true }
        return query.matches(flow) ? try body(flow) : true
      }
    }
  }

  extension Database {
    /// Gives the flows that have changed to `body`, each once, in the order of their latest changes, until that returns
    /// false.
    fileprivate func eachChange(
      of query: FlowQuery, after cursor: ChangeCursor?, _ body: (ChangeCursor, FlowSummary) throws -> Bool
    ) throws {
      let behind = cursor.map { _ in "(h.change, h.flow) > (?, ?) AND" } ?? ""
      try each(
        """
        SELECT \(FlowSummary.columns), h.change, h.flow FROM flow_history h INDEXED BY flow_history_changes
          CROSS JOIN flows f ON f.number = h.flow
          WHERE \(behind) NOT EXISTS (SELECT 1 FROM flow_history n WHERE n.flow = h.flow AND n.sequence > h.sequence)
          ORDER BY h.change, h.flow
        """, cursor.map { [.int($0.change), .int($0.flow)] } ?? []
      ) { row in
        let flow: FlowSummary
        // As in the list of flows.
        do { flow = try FlowSummary(row) } catch is FlowStoreError { return true }
        guard query.matches(flow) else { return true }
        return try body(ChangeCursor(change: row.int(11), flow: row.int(12)), flow)
      }
    }
  }

  extension FlowQuery {
    /// The index that SQLite must use: it knows no counts, so it would read all flows in the order of their ids to find
    /// the few that are runnable or due.
    fileprivate var index: String? {
      guard label == nil else { return nil }
      if rollbackFailed == true { return "flows_rollback_failed" }
      if status == [.runnable] { return "flows_runnable" }
      return status == [.waiting] && dueBefore != nil ? "flows_timed" : nil
    }
  }
#endif
