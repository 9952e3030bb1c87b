#if SQLite
  import ActorFlow
  import ActorFlowHosting

  /// The key of a question in an inbox, and of the last question of a page.
  struct TaskCursor: Comparable, CustomStringConvertible {
    let flow: Int
    let question: TextKey
    let place: Int

    /// - Parameter row: A row of ``TaskList``.
    init(_ row: Statement) {
      (flow, question, place) = (row.int(7), TextKey(row.text(0)), row.int(1))
    }

    init(_ text: String) throws(FlowStoreError) {
      let parts = try StoreCursor(text, parts: 3).parts
      guard let flow = Int(parts[0]), let place = Int(parts[2]) else {
        throw FlowStoreError(.notFound, "the cursor is not from this store's list of questions")
      }
      (self.flow, question, self.place) = (flow, TextKey(parts[1]), place)
    }

    var description: String { StoreCursor(["\(flow)", question.text, "\(place)"]).description }

    static func < (left: TaskCursor, right: TaskCursor) -> Bool {
      (left.flow, left.question, left.place) < (right.flow, right.question, right.place)
    }
  }

  /// A statement that reads questions in the order of their keys: all, or those of an assignee.
  struct TaskList {
    let sql: String
    let values: [SQLiteValue]

    init(of assignee: String?, _ query: TaskQuery, after cursor: TaskCursor?) {
      var conditions = Conditions()
      // The keys of the inbox and of the questions are in the same order.
      let key = assignee == nil ? "t" : "a"
      if let assignee { conditions.add("a.assignee = ?", .text(assignee)) }
      if let cursor {
        conditions.add(
          "(\(key).flow, \(key).question, \(key).place) > (?, ?, ?)", .int(cursor.flow),
          .text(cursor.question.text), .int(cursor.place))
      }
      conditions.add(query)
      let questions =
        assignee == nil
        ? "flow_tasks t"
        : """
        flow_assignees a JOIN flow_tasks t ON t.flow = a.flow AND t.question = a.question AND t.place = a.place
        """
      sql = """
        SELECT \(TaskRow.columns), t.flow, f.id, f.definition, f.labels
          FROM \(questions) CROSS JOIN flows f ON f.number = t.flow
          \(conditions.sql) ORDER BY \(key).flow, \(key).question, \(key).place
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
      let lists = names.map { TaskList(of: $0, query, after: cursor) }
      try withStatements(lists.map { ($0.sql, $0.values) }) { statements in
        var heads = try statements.map { try $0.step() ? TaskCursor($0) : nil }
        while let least = heads.lazy.compactMap(\.self).min() {
          // A question that is assigned to several of the people stands in several lists.
          let places = heads.indices.filter { heads[$0] == least }
          // A row that cannot be read is left out, as in the list of flows.
          if let row = places.first.map({ statements[$0] }), let task = try Self.readable(row), query.matches(task) {
            guard try body(least, task) else { return }
          }
          for place in places { heads[place] = try statements[place].step() ? TaskCursor(statements[place]) : nil }
        }
      }
    }

    private static func readable(_ row: Statement) throws -> TaskSummary? {
      do { return try TaskSummary(row) } catch is FlowStoreError { return nil }
    }
  }
#endif
