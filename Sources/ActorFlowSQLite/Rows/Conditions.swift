#if SQLite
  import ActorFlow
  import ActorFlowHosting

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

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
      if let rollbackFailed = query.rollbackFailed { add("f.rollback_failed = \(rollbackFailed ? 1 : 0)") }
      if let changedBefore = query.changedBefore { add("f.changed_at <= ?", .time(changedBefore)) }
      if let startedBefore = query.startedBefore { add("\(FlowSummary.startedAt) <= ?", .time(startedBefore)) }
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
        let isOfDue = status == [.runnable] || status == [.waiting] && query.dueBefore != nil
        if isOfDue, query.definition == nil, query.label == nil { add(Self.known) }
      }
    }

    /// Says nothing new of a flow: its definition is one of those that there are. SQLite then looks for each of them in an
    /// index that begins with the definition, and does not read it as a whole.
    private static let known = """
      f.definition IN (
        WITH RECURSIVE known (name) AS (
          SELECT min(definition) FROM flows
          UNION ALL
          SELECT (SELECT min(definition) FROM flows WHERE definition > name) FROM known WHERE name IS NOT NULL)
        SELECT name FROM known WHERE name IS NOT NULL)
      """

    /// Begins behind a cursor.
    ///
    /// - Parameter order: The columns of the order, with that of the time if the cursor has one.
    mutating func add(_ cursor: TaskCursor?, behind order: String) {
      guard let cursor else { return }
      let time = cursor.time.map { [SQLiteValue.time($0)] } ?? []
      texts.append("(\(order)) > (\(time.isEmpty ? "" : "?, ")?, ?, ?)")
      values += time + [.int(cursor.flow), .text(cursor.question.text), .int(cursor.place)]
    }

    /// - Parameters:
    ///   - query: A query whose assignees are not looked at here: the list is theirs already.
    ///   - table: The table whose due time may have the order of the list.
    mutating func add(_ query: TaskQuery, dueIn table: String) {
      if let prompt = query.prompt { add("t.prompt = ?", .text(prompt)) }
      if let definition = query.definition { add("f.definition = ?", .text(definition)) }
      if let label = query.label {
        add(
          "EXISTS (SELECT 1 FROM flow_labels l WHERE l.key = ? AND l.value = ? AND l.flow = f.number)",
          .text(label.key), .text(label.value))
      }
      if let dueBefore = query.dueBefore { add("\(table).due_at <= ?", .time(dueBefore)) }
    }
  }
#endif
