#if SQLite
  public import ActorFlow
  public import ActorFlowHosting

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension SQLiteFlowStore {
    /// Writes a flow's next snapshot, and appends to its history; see `FlowStore.commit(_:)`.
    public func commit(_ write: FlowWrite) async throws -> StoredFlow {
      try write.snapshot.checkSize()
      return try await writer.write { try $0.commit(write) }
    }

    /// Performs several writes in one transaction, each with a result of its own.
    ///
    /// See `FlowStore.commit(_:)`.
    public func commit(_ writes: [FlowWrite]) async -> [Result<StoredFlow, FlowStoreError>] {
      let sizes = writes.map { write in
        Result { () throws(FlowStoreError) in try write.snapshot.checkSize() }
      }
      return await writer.write(
        zip(writes, sizes).map { write, size in
          { @Sendable transaction in
            try size.get()
            return try transaction.commit(write)
          }
        })
    }

    /// Removes a flow with its history, its questions and its lease; see `FlowStore.delete(_:expecting:fence:)`.
    public func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
      try await writer.write { try $0.delete(id, expecting: revision, fence: fence) }
    }

    /// Removes the bytes of all that was deleted, replaced or redacted from the file and its log, and returns when they
    /// are gone.
    ///
    /// A write or a deletion leaves the earlier bytes in free pages and in the log until SQLite uses their space again,
    /// which may be never. This function rewrites the whole file (`VACUUM`), which needs about its size again on the disk,
    /// in the folder for temporary files and in the log; other writes wait meanwhile, those of other processes for
    /// ``Options/busyTime``. Then it empties the log, once all reads are done that began before.
    ///
    /// No host can beat meanwhile. If it takes longer than `FlowHost.Options.leaseTime`, the flows of hosts that are alive
    /// may be taken over: for a file that is so large, stop the hosts first. If the file has tables of your own, `VACUUM`
    /// may give other row ids to those without an `INTEGER PRIMARY KEY`.
    ///
    /// Call it after `HostedFlow.redact(keeping:naming:reason:by:)`, or after the deletion of flows, to remove what people
    /// said from the disk. Backups and copies are yours to care for.
    ///
    /// - Throws: `FlowStoreError`; `unavailable` if another connection reads or writes for longer than
    ///   ``Options/busyTime``, or if the disk is full or cannot be used, be it that of the file or that of the folder for
    ///   temporary files, which the environment variable `SQLITE_TMPDIR` names. The bytes may then be left: call it again.
    public func erase() async throws { try await writer.erase() }

    /// Writes, replaces or removes the note under a key; see `FlowStore.setNote(_:under:replacing:)`.
    public func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
      try await writer.write { try $0.setNote(note, under: key, replacing: old) }
    }
  }

  extension WriteTransaction {
    /// Steps 2 to 6 of a write; the size was checked before.
    fileprivate func commit(_ write: FlowWrite) throws -> StoredFlow {
      let old = try FlowRow.find(write.id, in: database)
      if let old, old.commit == write.commit.description {
        guard let flow = try StoredFlow.find(write.id, in: database) else { throw FlowStoreError.noFlow(write.id) }
        return flow
      }
      try checkLease(of: write.id, fence: write.fence)
      try (old?.revision ?? .none).check(isExpected: write.expecting, of: write.id)
      if !write.storedValues.isEmpty { try write.checkValues(areAmong: storedValues(of: old)) }
      let bytes = write.snapshot.encodedWithoutValues()
      let stored = StoredFlow(
        id: write.id, revision: write.expecting.next,
        snapshot: write.snapshot.stored, changedAt: now.date)
      let number = try store(stored, encoded: bytes, as: write.commit, over: old)
      for value in write.newValues {
        try database.run(
          "INSERT OR REPLACE INTO flow_values VALUES (?, ?, ?)", .int(number), .int(value.number), .blob(value.bytes))
      }
      for value in write.droppedValues {
        try database.run("DELETE FROM flow_values WHERE flow = ? AND number = ?", .int(number), .int(value))
      }
      let change = try ChangeCursor.last(in: database) + 1
      if write.replacesHistory { try removeHistory(of: number) }
      for entry in write.history { try append(entry, to: number, as: change) }
      if write.history.isEmpty {
        // A reader of changes finds the flow by its last entry.
        try database.run(
          """
          UPDATE flow_history SET change = ?1
            WHERE flow = ?2 AND sequence = (SELECT max(sequence) FROM flow_history WHERE flow = ?2)
          """, .int(change), .int(number))
      }
      if write.releases, let fence = write.fence { try endLease(of: write.id, under: fence.number) }
      try announceDue(write.id)
      return stored
    }

    private func storedValues(of row: FlowRow?) throws -> Set<Int> {
      guard let row else { return [] }
      return Set(
        try database.all("SELECT number FROM flow_values WHERE flow = ?", .int(row.number)) { $0.int(0) })
    }

    /// Writes the row of a flow, its start, its labels and its questions. Returns its number.
    private func store(
      _ flow: StoredFlow, encoded: [UInt8], as commit: CommitID, over old: FlowRow?
    ) throws -> Int {
      let snapshot = flow.snapshot
      let labels = try JSONText.encode(snapshot.labels)
      let columns: [SQLiteValue] = [
        .int(flow.revision.number), .text(commit.description), .time(now), .text(snapshot.definition),
        .int(snapshot.version), .text(snapshot.status.rawValue), .bool(snapshot.rollbackFailed),
        .time(snapshot.wakeAt),
        .text(try JSONText.encode(snapshot.steps.map(\.path))), .text(labels), .blob(encoded),
      ]
      let number: Int
      if let old {
        number = old.number
        try database.each(
          """
          UPDATE flows SET revision = ?, commit_id = ?, changed_at = ?, definition = ?, version = ?, status = ?,
            rollback_failed = ?, wake_at = ?, steps = ?, labels = ?, snapshot = ? WHERE number = ?
          """, columns + [.int(number)]
        ) { _ in true }
      } else {
        try database.each(
          """
          INSERT INTO flows (revision, commit_id, changed_at, definition, version, status, rollback_failed, wake_at,
            steps, labels, snapshot, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """, columns + [.text(flow.id.description)]
        ) { _ in true }
        number = database.lastKey
      }
      if old?.startedAt != snapshot.startedAt {
        if let startedAt = snapshot.startedAt {
          try database.run("INSERT OR REPLACE INTO flow_starts VALUES (?, ?)", .int(number), .time(startedAt))
        } else {
          try database.run("DELETE FROM flow_starts WHERE flow = ?", .int(number))
        }
      }
      if !labels.utf8.elementsEqual((old?.labels ?? "{}").utf8) {
        try removeLabels(old?.labels ?? "{}", of: number)
        for (key, value) in snapshot.labels {
          try database.run("INSERT INTO flow_labels VALUES (?, ?, ?)", .text(key), .text(value), .int(number))
        }
      }
      try storeTasks(snapshot.tasks.enumerated().map { try TaskRow($1, at: $0) }, of: number, isNew: old == nil)
      return number
    }

    private func removeLabels(_ labels: String, of number: Int) throws {
      for (key, value) in try JSONText.labels(labels) {
        try database.run(
          "DELETE FROM flow_labels WHERE key = ? AND value = ? AND flow = ?", .text(key), .text(value), .int(number))
      }
    }

    /// Replaces the rows of a flow's questions, if they have changed.
    private func storeTasks(_ tasks: [TaskRow], of number: Int, isNew: Bool) throws {
      if !isNew {
        let old = try database.all(
          "SELECT \(TaskRow.columns) FROM flow_tasks t WHERE flow = ? ORDER BY place", .int(number)
        ) { TaskRow($0) }
        if old.elementsEqual(tasks, by: { $0.hasBytes(of: $1) }) { return }
        try removeTasks(old, of: number)
      }
      for task in tasks {
        try database.run(
          "INSERT INTO flow_tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?)", .int(number), .text(task.question),
          .int(task.place), .text(task.step), .text(task.prompt), .time(task.askedAt),
          task.due.map { .time($0) } ?? .null,
          .text(task.assignees))
        for assignee in try JSONText.texts(task.assignees) {
          try database.run(
            "INSERT OR IGNORE INTO flow_assignees VALUES (?, ?, ?, ?, ?, ?)", .text(assignee), .int(number),
            .text(task.question), .int(task.place), .time(task.askedAt), task.due.map { .time($0) } ?? .null)
        }
      }
    }

    private func removeTasks(_ tasks: [TaskRow], of number: Int) throws {
      for task in tasks {
        for assignee in try JSONText.texts(task.assignees) {
          try database.run(
            "DELETE FROM flow_assignees WHERE assignee = ? AND flow = ? AND question = ? AND place = ?",
            .text(assignee), .int(number), .text(task.question), .int(task.place))
        }
      }
      try database.run("DELETE FROM flow_tasks WHERE flow = ?", .int(number))
    }

    private func append(_ entry: HistoryEntry, to number: Int, as change: Int) throws {
      try database.run(
        "INSERT INTO flow_history VALUES (?, ?, ?, ?, ?, ?, ?, ?)", .int(number), .int(entry.sequence),
        .time(entry.at), .text(entry.what), .text(entry.step?.path), .text(entry.by),
        .text(entry.detail), .int(change))
    }

    private func removeHistory(of number: Int) throws {
      try ChangeCursor.keepLast(in: database)
      try database.run("DELETE FROM flow_history WHERE flow = ?", .int(number))
    }

    fileprivate func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) throws {
      try checkLease(of: id, fence: fence)
      guard let row = try FlowRow.find(id, in: database) else { throw FlowStoreError.noFlow(id) }
      try row.revision.check(isExpected: revision, of: id)
      let number = SQLiteValue.int(row.number)
      try removeLabels(row.labels, of: row.number)
      let tasks = try database.all("SELECT \(TaskRow.columns) FROM flow_tasks t WHERE flow = ?", number) { TaskRow($0) }
      try removeTasks(tasks, of: row.number)
      try removeHistory(of: row.number)
      for table in ["flow_values", "flow_starts"] {
        try database.run("DELETE FROM \(table) WHERE flow = ?", number)
      }
      try database.run("DELETE FROM flows WHERE number = ?", number)
      try endLease(of: id)
    }

    fileprivate func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) throws {
      let present = try StoreNote.find(key, in: database)
      guard present == old?.stored else {
        throw FlowStoreError(.conflict, "the note \(key) was changed meanwhile")
      }
      if let note {
        try database.run(
          "INSERT OR REPLACE INTO flow_notes VALUES (?, ?, ?)", .text(key), .blob(note.bytes),
          .time(note.until))
      } else {
        try database.run("DELETE FROM flow_notes WHERE key = ?", .text(key))
      }
      // A few with each note, so that no call has to remove many.
      try database.run(
        "DELETE FROM flow_notes WHERE key IN (SELECT key FROM flow_notes WHERE until <= ? AND key <> ? LIMIT 10)",
        .time(now), .text(key))
    }
  }

  extension StoreNote {
    static func find(_ key: String, in database: Database) throws -> StoreNote? {
      try database.first("SELECT bytes, until FROM flow_notes WHERE key = ?", .text(key)) {
        StoreNote($0.bytes(0), until: $0.optionalDate(1))
      }
    }
  }
#endif
