#if SQLite
  import ActorFlowHosting

  /// The tables of the store. All names begin with `flow`, so that they can stand in a database beside others.
  ///
  /// Text is compared by the default collation, `BINARY`: byte by byte. Times are whole microseconds since 1970.
  enum Schema {
    /// The migrations, in order: the first makes version 1 of version 0. One that was published is never changed.
    static let migrations = [first, second, third, fourth]

    static var newest: Int { migrations.count }

    /// Brings the tables to the newest version. Several processes may do so at once: one does, and the others wait.
    ///
    /// - Throws: `FlowStoreError` with the code `unsupportedFormat` if a newer version has made the tables.
    static func migrate(_ database: Database, at path: String, now: StoredTime) throws {
      try database.execute("BEGIN IMMEDIATE")
      do {
        try database.execute(
          "CREATE TABLE IF NOT EXISTS flow_schema (version INTEGER PRIMARY KEY, migrated_at INTEGER NOT NULL)")
        let version = try check(database, at: path)
        for (number, migration) in zip(1..., migrations).dropFirst(version) {
          try database.execute(migration)
          try database.run("INSERT INTO flow_schema VALUES (?, ?)", .int(number), .time(now))
        }
        try database.execute("COMMIT")
      } catch {
        if database.isInTransaction { try database.execute("ROLLBACK") }
        throw error
      }
    }

    /// Checks that no newer version has made the tables; returns their version, or 0 if there are none.
    @discardableResult
    static func check(_ database: Database, at path: String) throws -> Int {
      let version = try database.first("SELECT max(version) FROM flow_schema") { $0.int(0) } ?? 0
      guard version <= newest else {
        throw FlowStoreError(
          .unsupportedFormat,
          "the tables of \(path) have version \(version), and this version of the store knows \(newest); update it")
      }
      return version
    }

    /// Checks that a file which was open before still has the tables.
    static func checkTables(of database: Database, at path: String) throws {
      let tables = try database.first("SELECT count(*) FROM sqlite_schema WHERE name = 'flow_schema'") { $0.int(0) }
      guard tables == 1, try check(database, at: path) > 0 else {
        throw FlowStoreError(.corrupted, "\(path) has lost the tables of the store; restore it from a backup")
      }
    }

    /// `number` is the key of what belongs to a flow, so that those rows are short.
    ///
    /// `steps`, `labels` and `assignees` are JSON. What lists and claims need stands before the snapshot, so that they
    /// do not read the pages of large ones. A runnable flow is due whatever the clock says, so it has an index of its own
    /// beside that of timers.
    private static let first = """
      CREATE TABLE flows (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        revision INTEGER NOT NULL,
        commit_id TEXT NOT NULL,
        changed_at INTEGER NOT NULL,
        definition TEXT NOT NULL,
        version INTEGER NOT NULL,
        status TEXT NOT NULL,
        rollback_failed INTEGER NOT NULL,
        wake_at INTEGER,
        steps TEXT NOT NULL,
        labels TEXT NOT NULL,
        snapshot BLOB NOT NULL
      );
      CREATE INDEX flows_runnable ON flows (definition, changed_at, version, id) WHERE status = 'runnable';
      CREATE INDEX flows_timed ON flows (definition, wake_at, version, id)
        WHERE status = 'waiting' AND wake_at IS NOT NULL;
      CREATE INDEX flows_at_rest ON flows (status, id) WHERE status NOT IN ('runnable', 'waiting');
      CREATE INDEX flows_of_version ON flows (definition, version, id);
      CREATE INDEX flows_by_definition ON flows (definition, id);

      CREATE TABLE flow_values (
        flow INTEGER NOT NULL,
        number INTEGER NOT NULL,
        bytes BLOB NOT NULL,
        PRIMARY KEY (flow, number)
      ) WITHOUT ROWID;

      CREATE TABLE flow_history (
        flow INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        at INTEGER NOT NULL,
        what TEXT NOT NULL,
        step TEXT,
        principal TEXT,
        detail TEXT,
        PRIMARY KEY (flow, sequence)
      ) WITHOUT ROWID;

      CREATE TABLE flow_labels (
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        flow INTEGER NOT NULL,
        PRIMARY KEY (key, value, flow)
      ) WITHOUT ROWID;

      CREATE TABLE flow_tasks (
        flow INTEGER NOT NULL,
        question TEXT NOT NULL,
        place INTEGER NOT NULL,
        step TEXT NOT NULL,
        prompt TEXT NOT NULL,
        asked_at INTEGER NOT NULL,
        due_at INTEGER,
        assignees TEXT NOT NULL,
        PRIMARY KEY (flow, question, place)
      ) WITHOUT ROWID;

      CREATE TABLE flow_assignees (
        assignee TEXT NOT NULL,
        flow INTEGER NOT NULL,
        question TEXT NOT NULL,
        place INTEGER NOT NULL,
        PRIMARY KEY (assignee, flow, question, place)
      ) WITHOUT ROWID;

      CREATE TABLE flow_notes (
        key TEXT PRIMARY KEY,
        bytes BLOB NOT NULL,
        until INTEGER
      ) WITHOUT ROWID;
      CREATE INDEX flow_notes_over ON flow_notes (until) WHERE until IS NOT NULL;

      CREATE TABLE flow_hosts (
        name TEXT PRIMARY KEY,
        epoch INTEGER NOT NULL UNIQUE,
        attempt TEXT NOT NULL,
        overdue_at INTEGER NOT NULL
      ) WITHOUT ROWID;
      CREATE TABLE flow_epochs (last INTEGER NOT NULL);
      INSERT INTO flow_epochs VALUES (0);

      CREATE TABLE flow_leases (
        id TEXT PRIMARY KEY,
        epoch INTEGER NOT NULL,
        wanted INTEGER NOT NULL DEFAULT 0
      ) WITHOUT ROWID;
      CREATE INDEX flow_leases_of_epoch ON flow_leases (epoch, id);
      CREATE INDEX flow_leases_wanted ON flow_leases (epoch, id) WHERE wanted = 1;

      CREATE VIEW flow_overview AS
        SELECT f.id, f.definition, f.version, f.status, f.steps, f.labels,
          strftime('%Y-%m-%d %H:%M:%f', f.wake_at / 1e6, 'unixepoch') AS due,
          strftime('%Y-%m-%d %H:%M:%f', f.changed_at / 1e6, 'unixepoch') AS changed,
          (SELECT group_concat(t.assignees, ' ') FROM flow_tasks t WHERE t.flow = f.number) AS assignees,
          h.name AS host
        FROM flows f LEFT JOIN flow_leases l ON l.id = f.id LEFT JOIN flow_hosts h ON h.epoch = l.epoch;

      CREATE VIEW flow_inbox AS
        SELECT a.assignee, f.id, f.definition, t.prompt, t.step, t.question,
          strftime('%Y-%m-%d %H:%M:%f', t.asked_at / 1e6, 'unixepoch') AS asked,
          strftime('%Y-%m-%d %H:%M:%f', t.due_at / 1e6, 'unixepoch') AS due
        FROM flow_assignees a
        JOIN flow_tasks t ON t.flow = a.flow AND t.question = a.question AND t.place = a.place
        JOIN flows f ON f.number = a.flow;
      """

    /// Inboxes in the order of times: each list of questions has an index in each order. An assignee's list has the
    /// times beside the key, so that it needs no sorting.
    private static let second = """
      ALTER TABLE flow_assignees ADD COLUMN asked_at INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE flow_assignees ADD COLUMN due_at INTEGER;
      UPDATE flow_assignees AS a SET
        asked_at = coalesce((SELECT t.asked_at FROM flow_tasks t
          WHERE t.flow = a.flow AND t.question = a.question AND t.place = a.place), 0),
        due_at = (SELECT t.due_at FROM flow_tasks t
          WHERE t.flow = a.flow AND t.question = a.question AND t.place = a.place);
      CREATE INDEX flow_assignees_due ON flow_assignees (assignee, due_at, flow, question, place);
      CREATE INDEX flow_assignees_asked ON flow_assignees (assignee, asked_at, flow, question, place);
      CREATE INDEX flow_tasks_due ON flow_tasks (due_at, flow, question, place);
      CREATE INDEX flow_tasks_asked ON flow_tasks (asked_at, flow, question, place);
      CREATE INDEX flows_rollback_failed ON flows (id) WHERE rollback_failed = 1;
      """

    /// The times of starts. They are a table of their own: a column that is added to `flows` stands behind the snapshot,
    /// so lists would read the pages of large ones.
    private static let third = """
      CREATE TABLE flow_starts (
        flow INTEGER PRIMARY KEY,
        started_at INTEGER NOT NULL
      );
      """

    /// The order of changes: each commit gives its number to the entries that it adds to a history, or to the last one if
    /// it adds none. `flow_last_change` has the greatest number of entries that are gone, so that none is given twice.
    private static let fourth = """
      ALTER TABLE flow_history ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX flow_history_changes ON flow_history (change, flow);
      CREATE TABLE flow_last_change (change INTEGER NOT NULL);
      INSERT INTO flow_last_change VALUES (0);
      """
  }
#endif
