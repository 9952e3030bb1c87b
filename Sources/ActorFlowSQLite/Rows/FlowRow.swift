#if SQLite
  import ActorFlow
  import ActorFlowHosting

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The part of a stored flow that a write needs to know of the flow that it replaces.
  struct FlowRow {
    let number: Int
    let revision: Revision
    let commit: String
    let labels: String
    let startedAt: Date?

    /// - Throws: `FlowStoreError` if the flow cannot be read: it is never overwritten then.
    static func find(_ id: FlowID, in database: Database) throws -> FlowRow? {
      try database.first(
        """
        SELECT number, revision, commit_id, labels, \(FlowSummary.startedAt), snapshot FROM flows f WHERE id = ?
        """, .text(id.description)
      ) {
        try FlowSnapshot.checkEncoded($0.bytes(5))
        return FlowRow(
          number: $0.int(0), revision: Revision($0.int(1)), commit: $0.text(2), labels: $0.text(3),
          startedAt: $0.optionalDate(4))
      }
    }
  }

  extension StoredFlow {
    /// Reads a flow with its values.
    static func find(_ id: FlowID, in database: Database) throws -> StoredFlow? {
      let row = try database.first(
        "SELECT number, revision, changed_at, snapshot FROM flows WHERE id = ?", .text(id.description)
      ) {
        (number: $0.int(0), revision: $0.int(1), changedAt: $0.date(2), snapshot: $0.bytes(3))
      }
      guard let row else { return nil }
      let values = try database.all(
        "SELECT number, bytes FROM flow_values WHERE flow = ? ORDER BY number", .int(row.number)
      ) {
        FlowValue(number: $0.int(0), bytes: $0.bytes(1))
      }
      return StoredFlow(
        id: id, revision: Revision(row.revision),
        snapshot: try FlowSnapshot(decoding: row.snapshot, values: values),
        changedAt: row.changedAt)
    }
  }

  extension FlowSummary {
    /// The time of the start of the flow `f`. A subquery never changes the order in which a list reads its flows.
    static let startedAt = "(SELECT s.started_at FROM flow_starts s WHERE s.flow = f.number)"

    /// The columns that ``init(_:)`` reads, in its order.
    static let columns = """
      f.id, f.revision, f.changed_at, f.definition, f.version, f.status, f.rollback_failed, f.wake_at, f.steps, f.labels,
        \(startedAt)
      """

    init(_ row: Statement) throws {
      let snapshot = FlowSnapshot(
        definition: row.text(3), version: row.int(4), status: try FlowSnapshot.Status(row.text(5)),
        rollbackFailed: row.bool(6), steps: try JSONText.texts(row.text(8)).map { StepID($0) },
        labels: try JSONText.labels(row.text(9)), wakeAt: row.optionalDate(7), startedAt: row.optionalDate(10))
      self.init(
        StoredFlow(
          id: FlowID(row.text(0)), revision: Revision(row.int(1)), snapshot: snapshot,
          changedAt: row.date(2)))
    }
  }

  extension FlowSnapshot.Status {
    fileprivate init(_ name: String) throws {
      guard let status = Self(rawValue: name) else {
        throw FlowStoreError(.unsupportedFormat, "a newer version has written the status \(name)")
      }
      self = status
    }
  }
#endif
