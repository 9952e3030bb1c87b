#if PostgreSQL
  import ActorFlowHosting

  /// The place of a change among all changes: the number of its transaction, and the flow.
  struct ChangeCursor: Comparable, CustomStringConvertible {
    let change: Int
    let flow: Int

    init(change: Int, flow: Int) {
      (self.change, self.flow) = (change, flow)
    }

    /// - Throws: `FlowStoreError` with the code `notFound` for a text that is no cursor.
    init(_ text: String) throws(FlowStoreError) {
      let parts = try StoreCursor(text, parts: 2).parts
      guard let change = Int(parts[0]), let flow = Int(parts[1]) else { throw StoreCursor.malformed }
      self.init(change: change, flow: flow)
    }

    /// Reads the cursor of a row of ``ChangeList``.
    init(_ row: Row) {
      self.init(change: row.int(11), flow: row.int(12))
    }

    var description: String { StoreCursor([String(change), String(flow)]).description }

    static func < (left: ChangeCursor, right: ChangeCursor) -> Bool {
      (left.change, left.flow) < (right.change, right.flow)
    }
  }

  /// The statement for a part of the changed flows, each once, in the order of their latest changes.
  struct ChangeList {
    let sql: String
    let values: [SQLValue]
    let limit: Int

    /// - Parameters:
    ///   - start: The place behind which the part begins; `nil` for the beginning.
    ///   - end: The last place that counts.
    init(after start: ChangeCursor?, upTo end: ChangeCursor, limit: Int) {
      sql = """
        SELECT \(FlowSummary.columns), h.change, h.flow FROM @schema.flow_history h
          JOIN @schema.flows f ON f.number = h.flow
          WHERE (h.change, h.flow) > ($1, $2) AND h.change <= $3 AND NOT EXISTS (
            SELECT 1 FROM @schema.flow_history n WHERE n.flow = h.flow AND n.sequence > h.sequence AND n.change <= $3)
          ORDER BY h.change, h.flow LIMIT \(limit)
        """
      values = [.int(start?.change ?? -1), .int(start?.flow ?? 0), .int(end.change)]
      self.limit = limit
    }
  }
#endif
