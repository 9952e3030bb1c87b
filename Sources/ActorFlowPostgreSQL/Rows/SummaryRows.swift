#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting

  extension FlowSummary {
    /// The columns that ``init(_:)`` reads, in its order.
    static let columns = """
      f.id, f.revision, f.changed_at, f.definition, f.version, f.status, f.rollback_failed, f.wake_at, f.steps, f.labels,
        f.started_at
      """

    init(_ row: Row) throws {
      guard let status = FlowSnapshot.Status(rawValue: row.text(5)) else {
        throw FlowStoreError(.unsupportedFormat, "a newer version has written the status \(row.text(5))")
      }
      let snapshot = FlowSnapshot(
        definition: row.text(3), version: row.int(4), status: status, rollbackFailed: row.bool(6),
        steps: try JSONText.texts(row.text(8)).map { StepID($0) }, labels: try JSONText.labels(row.text(9)),
        wakeAt: row.optionalDate(7), startedAt: row.optionalDate(10))
      self.init(
        StoredFlow(
          id: FlowID(row.text(0)), revision: Revision(row.int(1)), snapshot: snapshot, changedAt: row.date(2)))
    }
  }

  extension TaskSummary {
    /// The columns that ``init(_:)`` reads, in its order.
    static let columns =
      "t.question, t.place, t.step, t.prompt, t.asked_at, t.due_at, t.assignees, t.flow, f.id, f.definition, f.labels"

    init(_ row: Row) throws {
      let task = OpenTask(
        question: row.text(0), step: StepID(row.text(2)), prompt: row.text(3),
        assignees: try JSONText.texts(row.text(6)), due: row.optionalDate(5), askedAt: row.date(4))
      self.init(
        flow: FlowID(row.text(8)), definition: row.text(9), labels: try JSONText.labels(row.text(10)), task: task)
    }
  }

  /// The conditions of a list in SQL. They narrow a list; the query itself decides about each row.
  struct Conditions {
    private var texts: [String] = []
    private(set) var values: [SQLValue] = []
    /// The table of the flows, called `f`, with what it is joined to.
    private(set) var flows = "@schema.flows f"
    /// The column by which a list of flows is ordered.
    private(set) var id = "f.id"

    var sql: String { texts.isEmpty ? "" : "WHERE " + texts.joined(separator: " AND ") }

    /// Adds a condition, with `?` where a value stands.
    mutating func add(_ text: String, _ values: SQLValue...) { add(text, values) }

    mutating func add(_ text: String, _ values: [SQLValue]) {
      var parts = text.split(separator: "?", omittingEmptySubsequences: false).map(String.init)
      for (index, value) in values.enumerated() {
        self.values.append(value)
        parts[index] += "$\(self.values.count)"
      }
      texts.append(parts.joined())
    }

    /// A time in a query is not rounded, so `<=` lets all pass that may be before the time.
    mutating func add(_ query: FlowQuery) {
      if let definition = query.definition { add("f.definition = ?", .text(definition)) }
      if let version = query.version { add("f.version = ?", .int(version)) }
      if let dueBefore = query.dueBefore { add("f.wake_at <= ?", .time(dueBefore)) }
      if let rollbackFailed = query.rollbackFailed { add("\(rollbackFailed ? "" : "NOT ")f.rollback_failed") }
      if let changedBefore = query.changedBefore { add("f.changed_at <= ?", .time(changedBefore)) }
      if let startedBefore = query.startedBefore { add("f.started_at <= ?", .time(startedBefore)) }
      if let label = query.label {
        add(
          "f.number IN (SELECT l.flow FROM @schema.flow_labels l WHERE l.key = ? AND l.value = ?)", .text(label.key),
          .text(label.value))
      }
      if let status = query.status {
        let names = status.map { "'\($0.rawValue)'" }.sorted()
        add(names.isEmpty ? "false" : "f.status IN (\(names.joined(separator: ", ")))")
        // The words of the indexes that hold a part of the flows, which serve only a statement that has them.
        if !status.contains(where: \.isClaimable) { add("f.status NOT IN ('runnable', 'waiting')") }
        // The rows of these flows, which are few, are not looked for among all.
        if status == [.runnable] {
          addDue("d.runnable", [], of: query.definition)
        } else if status == [.waiting], let dueBefore = query.dueBefore {
          addDue("NOT d.runnable AND d.due_at <= ?", [.time(dueBefore)], of: query.definition)
        }
      }
    }

    /// Narrows the list to the due flows that meet a condition. Their index begins with the definition. Without one, the
    /// statement finds the definitions in the index, and looks there for each: it reads no flow that is not due.
    ///
    /// The list is in the order of the ids that the due flows have. The table of all flows has an index in the same
    /// order, but the server would go through it to the end to find the first few that are due.
    private mutating func addDue(_ condition: String, _ values: [SQLValue], of definition: String?) {
      if let definition {
        flows = "@schema.flow_due d JOIN @schema.flows f ON f.number = d.flow"
        add("d.definition = ?", .text(definition))
      } else {
        flows = """
          (WITH RECURSIVE known (name) AS (
            SELECT min(n.definition) FROM @schema.flow_due n
            UNION ALL
            SELECT (SELECT min(n.definition) FROM @schema.flow_due n WHERE n.definition > k.name) FROM known k
              WHERE k.name IS NOT NULL)
          SELECT name FROM known) k JOIN @schema.flow_due d ON d.definition = k.name
            JOIN @schema.flows f ON f.number = d.flow
          """
      }
      id = "d.id"
      add(condition, values)
    }

    /// - Parameters:
    ///   - query: A query whose assignees are not looked at here: the list is theirs already.
    ///   - table: The table whose due time may have the order of the list.
    mutating func add(_ query: TaskQuery, dueIn table: String) {
      if let prompt = query.prompt { add("t.prompt = ?", .text(prompt)) }
      if let definition = query.definition { add("f.definition = ?", .text(definition)) }
      if let label = query.label {
        add(
          "EXISTS (SELECT 1 FROM @schema.flow_labels l WHERE l.key = ? AND l.value = ? AND l.flow = f.number)",
          .text(label.key), .text(label.value))
      }
      if let dueBefore = query.dueBefore { add("\(table).due_at <= ?", .time(dueBefore)) }
    }
  }
#endif
