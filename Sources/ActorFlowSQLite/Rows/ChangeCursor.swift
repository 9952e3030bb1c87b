#if SQLite
  import ActorFlowHosting

  /// The place of a change among all changes: its number, and the flow, because changes of an earlier version have none.
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

    var description: String { StoreCursor([String(change), String(flow)]).description }

    /// The place behind all changes.
    static func end(in database: Database) throws -> ChangeCursor {
      ChangeCursor(change: try last(in: database), flow: .max)
    }

    /// The greatest number that a change has, or has had.
    static func last(in database: Database) throws -> Int {
      try database.first(
        """
        SELECT max(coalesce((SELECT max(change) FROM flow_history), 0), (SELECT change FROM flow_last_change))
        """
      ) { $0.int(0) } ?? 0
    }

    /// Keeps the greatest number, because the history that has it may be about to go.
    static func keepLast(in database: Database) throws {
      try database.run(
        """
        UPDATE flow_last_change SET change = (SELECT max(change) FROM flow_history)
          WHERE change < (SELECT max(change) FROM flow_history)
        """)
    }

    static func < (left: ChangeCursor, right: ChangeCursor) -> Bool {
      (left.change, left.flow) < (right.change, right.flow)
    }
  }
#endif
