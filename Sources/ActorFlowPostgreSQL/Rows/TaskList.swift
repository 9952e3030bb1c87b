#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting

  extension TaskCursor {
    /// - Parameter row: A row of ``TaskList``.
    init(_ row: Row, in order: TaskQuery.Order) {
      let time: Int? =
        switch order {
        case .flow: nil
        case .asked: row.int(4)
        case .due: row.optionalInt(5)
        }
      self.init(
        order: order, time: time.map { StoredTime(microseconds: Int64($0)) }, flow: row.int(7), question: row.text(0),
        place: row.int(1))
    }
  }

  /// The statement that reads a part of a list of questions in the order of their keys: all, or those of some assignees.
  struct TaskList {
    let sql: String
    let values: [SQLValue]

    init(_ part: TaskListPart, of query: TaskQuery, after cursor: TaskCursor?, limit: Int) {
      var conditions = Conditions()
      // The keys of the inbox and of the questions are in the same orders.
      let key = query.assignees == nil ? "t" : "a"
      if query.assignees != nil { conditions.add("a.assignee = n.name") }
      var columns = ["flow", "question", "place"]
      switch part {
      case .byFlow: break
      case .timed(let column):
        conditions.add("\(key).\(column) IS NOT NULL")
        columns.insert(column, at: 0)
      case .untimed(let column):
        conditions.add("\(key).\(column) IS NULL")
        // The column has no value here, but stands in the order: so the server sees that its index has that order.
        columns.insert(column, at: 0)
      }
      let order = columns.map { "\(key).\($0)" }.joined(separator: ", ")
      if let cursor {
        let place = [SQLValue.int(cursor.flow), .text(cursor.question.text), .int(cursor.place)]
        let names = columns.suffix(cursor.time == nil ? 3 : 4).map { "\(key).\($0)" }.joined(separator: ", ")
        conditions.add(
          "(\(names)) > (\(cursor.time == nil ? "" : "?, ")?, ?, ?)", (cursor.time.map { [.time($0)] } ?? []) + place)
      }
      conditions.add(query, dueIn: key)
      let questions =
        query.assignees == nil
        ? "@schema.flow_tasks t"
        : """
        @schema.flow_assignees a
          JOIN @schema.flow_tasks t ON t.flow = a.flow AND t.question = a.question AND t.place = a.place
        """
      let list = """
        SELECT \(TaskSummary.columns) FROM \(questions) JOIN @schema.flows f ON f.number = t.flow \(conditions.sql)
          ORDER BY \(order) LIMIT \(limit)
        """
      guard let assignees = query.assignees else {
        (sql, values) = (list, conditions.values)
        return
      }
      // The first questions of each assignee. One that is assigned to several of them comes once.
      let merged = columns.map { "x.\($0)" }.joined(separator: ", ")
      sql = """
        SELECT DISTINCT ON (\(merged)) x.* FROM unnest($\(conditions.values.count + 1)::text[]) n (name)
          CROSS JOIN LATERAL (\(list)) x ORDER BY \(merged) LIMIT \(limit)
        """
      values = conditions.values + [.texts(assignees)]
    }
  }
#endif
