#if SQLite
  import ActorFlow
  import ActorFlowHosting

  extension TaskCursor {
    /// - Parameter row: A row of ``TaskList``.
    fileprivate init(_ row: Statement, in order: TaskQuery.Order) {
      let time: StoredTime? =
        switch order {
        case .flow: nil
        case .asked: row.time(4)
        case .due: row.isNull(5) ? nil : row.time(5)
        }
      self.init(order: order, time: time, flow: row.int(7), question: row.text(0), place: row.int(1))
    }
  }

  /// A statement that reads questions in the order of their keys: all, or those of an assignee.
  struct TaskList {
    let sql: String
    let values: [SQLiteValue]

    init(_ part: TaskListPart, of assignee: String?, _ query: TaskQuery, after cursor: TaskCursor?) {
      var conditions = Conditions()
      // The keys of the inbox and of the questions are in the same orders.
      let key = assignee == nil ? "t" : "a"
      if let assignee { conditions.add("a.assignee = ?", .text(assignee)) }
      var order = "\(key).flow, \(key).question, \(key).place"
      switch part {
      case .byFlow: conditions.add(cursor, behind: order)
      case .timed(let column):
        let time = "\(key).\(column)"
        order = "\(time), \(order)"
        // The bound lets SQLite begin behind the questions without a time, which come first in its index.
        if let cursor { conditions.add(cursor, behind: order) } else { conditions.add("\(time) >= ?", .int(.min)) }
      case .untimed(let column):
        conditions.add("\(key).\(column) IS NULL")
        if let cursor, cursor.time == nil { conditions.add(cursor, behind: order) }
      }
      conditions.add(query, dueIn: key)
      let questions =
        assignee == nil
        ? "flow_tasks t"
        : """
        flow_assignees a CROSS JOIN flow_tasks t ON t.flow = a.flow AND t.question = a.question AND t.place = a.place
        """
      sql = """
        SELECT \(TaskRow.columns), t.flow, f.id, f.definition, f.labels
          FROM \(questions) CROSS JOIN flows f ON f.number = t.flow \(conditions.sql) ORDER BY \(order)
        """
      values = conditions.values
    }
  }

  extension TaskSummary {
    /// - Parameter row: A row of ``TaskList``.
    fileprivate init(_ row: Statement) throws {
      self.init(
        flow: FlowID(row.text(8)), definition: row.text(9), labels: try JSONText.labels(row.text(10)),
        task: try TaskRow(row).task)
    }
  }

  extension Database {
    /// Gives the questions that match a query, with their keys, to `body` in order until that returns false.
    ///
    /// The list of each assignee is read in its own order, and the lists are merged: so none is sorted, and only what
    /// the page needs is read.
    func eachTask(
      _ query: TaskQuery, after cursor: TaskCursor?, _ body: (TaskCursor, TaskSummary) throws -> Bool
    ) throws {
      let names = query.assignees.map { Set($0.map { TextKey($0) }).map { Optional($0.text) } } ?? [nil]
      let lists = names.flatMap { name in
        query.parts(after: cursor).map { TaskList($0, of: name, query, after: cursor) }
      }
      try withStatements(lists.map { ($0.sql, $0.values) }) { statements in
        var heads = try statements.map { try $0.step() ? TaskCursor($0, in: query.order) : nil }
        while let least = heads.lazy.compactMap(\.self).min() {
          // A question that is assigned to several of the people stands in several lists.
          let places = heads.indices.filter { heads[$0] == least }
          // A row that cannot be read is left out, as in the list of flows.
          if let row = places.first.map({ statements[$0] }), let task = try Self.readable(row), query.matches(task) {
            guard try body(least, task) else { return }
          }
          for place in places {
            heads[place] = try statements[place].step() ? TaskCursor(statements[place], in: query.order) : nil
          }
        }
      }
    }

    private static func readable(_ row: Statement) throws -> TaskSummary? {
      do { return try TaskSummary(row) } catch is FlowStoreError { return nil }
    }
  }
#endif
