#if PostgreSQL
  public import ActorFlow
  public import ActorFlowHosting

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension PostgreSQLFlowStore {
    /// The most rows of one statement of a list; a page is put together of several.
    private static let mostRows = 500

    /// Returns a stored flow, or `nil` if there is no such flow; see `FlowStore.load(_:)`.
    public func load(_ id: FlowID) async throws -> StoredFlow? {
      try await pool.call(function("flow_read", [.text(id.description)], .changesNothing)) {
        try FunctionReply($0).stored
      }
    }

    /// Returns a page of the flows that match a query; see `FlowStore.list(_:after:limit:)`.
    public func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
      var last = try cursor.map { try StoreCursor($0, parts: 1).parts[0] }
      var page = FlowPage(flows: [], cursor: nil)
      let limit = max(1, limit)
      while true {
        var conditions = Conditions()
        if let last { conditions.add("f.id > ?", .text(last)) }
        conditions.add(query)
        let count = min(Self.mostRows, limit < Self.mostRows ? limit + 1 : limit)
        let rows = try await pool.call(
          statement(
            """
            SELECT \(FlowSummary.columns) FROM \(conditions.flows) \(conditions.sql) ORDER BY \(conditions.id)
              LIMIT \(count)
            """, conditions.values)
        ) { reply in
          // A row that cannot be read is left out, so that it does not hide all the others.
          reply.rows.map { (id: $0.text(0), flow: try? FlowSummary($0)) }
        }
        for row in rows {
          guard let flow = row.flow, query.matches(flow) else { continue }
          if page.flows.count == limit, let last = page.flows.last {
            page.cursor = StoreCursor([last.id.description]).description
            return page
          }
          page.flows.append(flow)
        }
        guard rows.count == count else { return page }
        last = rows.last?.id
      }
    }

    /// Returns a page of the open questions that match a query; see `FlowStore.tasks(_:after:limit:)`.
    public func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
      var last = try cursor.map { try TaskCursor($0, of: query.order) }
      var parts = query.parts(after: last)[...]
      var page = TaskPage(tasks: [], cursor: nil)
      var lastOfPage: TaskCursor?
      let limit = max(1, limit)
      while let part = parts.first {
        let count = min(Self.mostRows, limit < Self.mostRows ? limit + 1 : limit)
        let list = TaskList(part, of: query, after: last, limit: count)
        let rows = try await pool.call(statement(list.sql, list.values)) { reply in
          // As in the list of flows.
          reply.rows.map { (cursor: TaskCursor($0, in: query.order), task: try? TaskSummary($0)) }
        }
        for row in rows {
          guard let task = row.task, query.matches(task) else { continue }
          if page.tasks.count == limit {
            page.cursor = lastOfPage?.description
            return page
          }
          page.tasks.append(task)
          lastOfPage = row.cursor
        }
        if rows.count == count {
          last = rows.last?.cursor
        } else {
          parts = parts.dropFirst()
          last = nil
        }
      }
      return page
    }

    /// Counts the flows that match a query, up to a limit, on the server; see `FlowStore.count(_:upTo:)`.
    public func count(_ query: FlowQuery, upTo limit: Int) async throws -> Int {
      guard query.step == nil, query.dueBefore == nil, query.changedBefore == nil, query.startedBefore == nil else {
        // The server does not know the paths of steps, and times in a query are not rounded.
        return try await countPages(upTo: limit) { cursor, limit in
          let page = try await list(query, after: cursor, limit: limit)
          return (page.flows.count, page.cursor)
        }
      }
      var conditions = Conditions()
      conditions.add(query)
      return try await count(
        of: "SELECT 1 FROM \(conditions.flows) \(conditions.sql) LIMIT \(max(1, limit))", conditions.values)
    }

    /// Counts the open questions that match a query, up to a limit, on the server; see `FlowStore.count(_:upTo:)`.
    public func count(_ query: TaskQuery, upTo limit: Int) async throws -> Int {
      var query = query
      query.order = .flow
      guard query.dueBefore == nil else {
        return try await countPages(upTo: limit) { [query] cursor, limit in
          let page = try await tasks(query, after: cursor, limit: limit)
          return (page.tasks.count, page.cursor)
        }
      }
      let list = TaskList(.byFlow, of: query, after: nil, limit: max(1, limit))
      return try await count(of: list.sql, list.values)
    }

    private func count(of list: String, _ values: [SQLValue]) async throws -> Int {
      try await pool.call(statement("SELECT count(*) FROM (\(list)) c", values)) { $0.rows.first?.int(0) ?? 0 }
    }

    /// Returns a page of the flows that have changed; see `FlowStore.changed(_:after:limit:)`.
    ///
    /// A change is shown when every transaction of the server that began to write before it has ended: one that writes
    /// and stays open, also in another database, delays the changes, and loses none. On a database without the numbers of
    /// transactions the function throws `unavailable`.
    public func changed(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> ChangePage {
      var last = try cursor.map { (text) throws(FlowStoreError) in try ChangeCursor(text) }
      let end = try await settledChanges()
      if let last, last > end { throw StoreCursor.isAhead }
      var page = ChangePage(changes: [], cursor: end.description)
      let limit = max(1, limit)
      while last.map({ $0 < end }) ?? true {
        let list = ChangeList(after: last, upTo: end, limit: min(Self.mostRows, limit))
        let rows = try await pool.call(statement(list.sql, list.values)) { reply in
          // As in the list of flows.
          reply.rows.map { (cursor: ChangeCursor($0), flow: try? FlowSummary($0)) }
        }
        for row in rows {
          guard let flow = row.flow, query.matches(flow) else { continue }
          page.changes.append(FlowChange(flow: flow, cursor: row.cursor.description))
          guard page.changes.count == limit else { continue }
          page.cursor = row.cursor.description
          return page
        }
        guard rows.count == list.limit else { return page }
        last = rows.last?.cursor
      }
      return page
    }

    /// Returns the cursor behind all changes that are shown; see `FlowStore.lastChange()`.
    public func lastChange() async throws -> String { try await settledChanges().description }

    /// The place behind all changes whose transactions have ended, as all earlier ones have.
    private func settledChanges() async throws -> ChangeCursor {
      let unsettled = try await pool.call(statement("SELECT @schema.flow_unsettled()", [])) {
        $0.rows.first?.optionalInt(0)
      }
      guard let unsettled else {
        throw FlowStoreError(
          .unavailable,
          """
          the database does not tell which transactions are under way, so changes cannot be listed; list the flows instead
          """)
      }
      return ChangeCursor(change: unsettled - 1, flow: .max)
    }

    /// Returns a flow's history, oldest entry first; see `FlowStore.history(of:after:limit:)`.
    public func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
      try await pool.call(
        statement(
          """
          SELECT h.sequence, h.at, h.what, h.step, h.principal, h.detail FROM @schema.flows f
            JOIN @schema.flow_history h ON h.flow = f.number WHERE f.id = $1 AND h.sequence > $2
            ORDER BY h.sequence LIMIT $3
          """, [.text(id.description), .int(sequence), .int(max(1, limit))])
      ) { reply in
        reply.rows.map { row in
          HistoryEntry(
            sequence: row.int(0), at: row.date(1), what: row.text(2), step: row.optionalText(3).map { StepID($0) },
            by: row.optionalText(4), detail: row.optionalText(5))
        }
      }
    }

    /// Returns the note under a key, or `nil` if there is none; see `FlowStore.note(_:)`.
    public func note(_ key: String) async throws -> StoreNote? {
      try await pool.call(statement("SELECT bytes, until FROM @schema.flow_notes WHERE key = $1", [.text(key)])) {
        $0.rows.first.map { StoreNote($0.bytes(0), until: $0.optionalDate(1)) }
      }
    }
  }
#endif
