#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting

  /// The key of the last question of a page.
  struct TaskCursor: CustomStringConvertible {
    let flow: Int
    let question: String
    let place: Int

    init(_ row: Row) { (flow, question, place) = (row.int(7), row.text(0), row.int(1)) }

    init(_ text: String) throws(FlowStoreError) {
      let parts = try StoreCursor(text, parts: 3).parts
      guard let flow = Int(parts[0]), let place = Int(parts[2]) else {
        throw FlowStoreError(.notFound, "the cursor is not from this store's list of questions")
      }
      (self.flow, question, self.place) = (flow, parts[1], place)
    }

    var description: String { StoreCursor(["\(flow)", question, "\(place)"]).description }
  }

  /// The statement that reads questions in the order of their keys: all, or those of some assignees.
  struct TaskList {
    let sql: String
    let values: [SQLValue]

    init(_ query: TaskQuery, after cursor: TaskCursor?, limit: Int) {
      var conditions = Conditions()
      // The keys of the inbox and of the questions are in the same order.
      let key = query.assignees == nil ? "t" : "a"
      if query.assignees != nil { conditions.add("a.assignee = n.name") }
      if let cursor {
        conditions.add(
          "(\(key).flow, \(key).question, \(key).place) > (?, ?, ?)", .int(cursor.flow), .text(cursor.question),
          .int(cursor.place))
      }
      conditions.add(query)
      let questions =
        query.assignees == nil
        ? "@schema.flow_tasks t"
        : """
        @schema.flow_assignees a
          JOIN @schema.flow_tasks t ON t.flow = a.flow AND t.question = a.question AND t.place = a.place
        """
      let list = """
        SELECT \(TaskSummary.columns) FROM \(questions) JOIN @schema.flows f ON f.number = t.flow \(conditions.sql)
          ORDER BY \(key).flow, \(key).question, \(key).place LIMIT \(limit)
        """
      guard let assignees = query.assignees else {
        (sql, values) = (list, conditions.values)
        return
      }
      // The first questions of each assignee. One that is assigned to several of them comes once.
      sql = """
        SELECT DISTINCT ON (x.flow, x.question, x.place) x.* FROM unnest($\(conditions.values.count + 1)::text[]) n (name)
          CROSS JOIN LATERAL (\(list)) x ORDER BY x.flow, x.question, x.place LIMIT \(limit)
        """
      values = conditions.values + [.texts(assignees)]
    }
  }
#endif
