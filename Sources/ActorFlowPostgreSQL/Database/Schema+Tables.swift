#if PostgreSQL
  /// The tables and views of the first version.
  ///
  /// Text columns have the collation `C`: they are compared byte by byte, also in pages and indexes. Times are whole
  /// microseconds since 1970, which a `timestamp` cannot hold for all 64 bits; the views show them as timestamps.
  extension Schema {
    /// `number` is the key of what belongs to a flow, so that those rows are short.
    ///
    /// `steps`, `labels` and `assignees` are JSON. `digest` is the sum of `snapshot`: a commit finds with it, on the
    /// server, whether it would overwrite damaged bytes. A row of `flow_leases` is a lease: it is removed when its
    /// epoch ends.
    ///
    /// `flow_due` has the flows that hosts may claim: those that can run, and those that wait with a timer. It stands
    /// beside `flows`, where no index has a column that each commit changes. So a commit that changes neither status
    /// nor timer, as from one question to the next, writes one row and no index entry, if its page has room. The unused
    /// part of the pages is that room.
    static let tables = """
      CREATE TABLE @schema.flows (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text COLLATE "C" NOT NULL UNIQUE,
        revision bigint NOT NULL,
        commit_id text COLLATE "C" NOT NULL,
        changed_at bigint NOT NULL,
        definition text COLLATE "C" NOT NULL,
        version bigint NOT NULL,
        status text COLLATE "C" NOT NULL,
        rollback_failed boolean NOT NULL,
        wake_at bigint,
        steps text COLLATE "C" NOT NULL,
        labels text COLLATE "C" NOT NULL,
        tasks_digest bytea NOT NULL,
        digest bytea NOT NULL,
        snapshot bytea NOT NULL
      ) WITH (fillfactor = 60);
      CREATE INDEX flows_at_rest ON @schema.flows (status, id) WHERE status NOT IN ('runnable', 'waiting');
      CREATE INDEX flows_of_version ON @schema.flows (definition, version, id);

      CREATE TABLE @schema.flow_due (
        flow bigint PRIMARY KEY,
        id text COLLATE "C" NOT NULL,
        definition text COLLATE "C" NOT NULL,
        version bigint NOT NULL,
        runnable boolean NOT NULL,
        due_at bigint NOT NULL
      );
      CREATE INDEX flow_due_first ON @schema.flow_due (definition, runnable, due_at, version);

      CREATE TABLE @schema.flow_values (
        flow bigint NOT NULL,
        number bigint NOT NULL,
        bytes bytea NOT NULL,
        PRIMARY KEY (flow, number)
      );

      CREATE TABLE @schema.flow_history (
        flow bigint NOT NULL,
        sequence bigint NOT NULL,
        at bigint NOT NULL,
        what text COLLATE "C" NOT NULL,
        step text COLLATE "C",
        principal text COLLATE "C",
        detail text COLLATE "C",
        PRIMARY KEY (flow, sequence)
      );

      CREATE TABLE @schema.flow_labels (
        key text COLLATE "C" NOT NULL,
        value text COLLATE "C" NOT NULL,
        flow bigint NOT NULL,
        PRIMARY KEY (key, value, flow)
      );
      CREATE INDEX flow_labels_of_flow ON @schema.flow_labels (flow);

      CREATE TABLE @schema.flow_tasks (
        flow bigint NOT NULL,
        question text COLLATE "C" NOT NULL,
        place bigint NOT NULL,
        step text COLLATE "C" NOT NULL,
        prompt text COLLATE "C" NOT NULL,
        asked_at bigint NOT NULL,
        due_at bigint,
        assignees text COLLATE "C" NOT NULL,
        PRIMARY KEY (flow, question, place)
      );

      CREATE TABLE @schema.flow_assignees (
        assignee text COLLATE "C" NOT NULL,
        flow bigint NOT NULL,
        question text COLLATE "C" NOT NULL,
        place bigint NOT NULL,
        PRIMARY KEY (assignee, flow, question, place)
      );
      CREATE INDEX flow_assignees_of_flow ON @schema.flow_assignees (flow);

      CREATE TABLE @schema.flow_notes (
        key text COLLATE "C" PRIMARY KEY,
        bytes bytea NOT NULL,
        until bigint
      );
      CREATE INDEX flow_notes_over ON @schema.flow_notes (until) WHERE until IS NOT NULL;

      CREATE TABLE @schema.flow_hosts (
        name text COLLATE "C" PRIMARY KEY,
        epoch bigint NOT NULL UNIQUE,
        attempt text COLLATE "C" NOT NULL,
        overdue_at bigint NOT NULL
      );
      CREATE TABLE @schema.flow_epochs (last bigint NOT NULL);
      INSERT INTO @schema.flow_epochs VALUES (0);

      CREATE TABLE @schema.flow_leases (
        id text COLLATE "C" PRIMARY KEY,
        epoch bigint NOT NULL,
        wanted boolean NOT NULL DEFAULT false
      );
      CREATE INDEX flow_leases_of_epoch ON @schema.flow_leases (epoch, id);

      CREATE FUNCTION @schema.flow_time(microseconds bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
        SELECT CASE WHEN microseconds BETWEEN -200000000000000000 AND 9000000000000000000
          THEN timestamptz '1970-01-01 00:00:00+00' + microseconds * interval '1 microsecond' END
      $$;

      CREATE VIEW @schema.flow_overview AS
        SELECT f.id, f.definition, f.version, f.status, f.steps, f.labels, @schema.flow_time(f.wake_at) AS due,
          @schema.flow_time(f.changed_at) AS changed,
          (SELECT string_agg(t.assignees, ' ') FROM @schema.flow_tasks t WHERE t.flow = f.number) AS assignees,
          h.name AS host
        FROM @schema.flows f LEFT JOIN @schema.flow_leases l ON l.id = f.id
          LEFT JOIN @schema.flow_hosts h ON h.epoch = l.epoch;

      CREATE VIEW @schema.flow_inbox AS
        SELECT a.assignee, f.id, f.definition, t.prompt, t.step, t.question, @schema.flow_time(t.asked_at) AS asked,
          @schema.flow_time(t.due_at) AS due
        FROM @schema.flow_assignees a
        JOIN @schema.flow_tasks t ON t.flow = a.flow AND t.question = a.question AND t.place = a.place
        JOIN @schema.flows f ON f.number = a.flow;
      """

    /// Inboxes in the order of times, of the second version: each list of questions has an index in each order. An
    /// assignee's list has the times beside the key, so that it needs no sorting.
    static let inboxesByTime = """
      ALTER TABLE @schema.flow_assignees ADD COLUMN asked_at bigint NOT NULL DEFAULT 0, ADD COLUMN due_at bigint;
      UPDATE @schema.flow_assignees a SET asked_at = t.asked_at, due_at = t.due_at FROM @schema.flow_tasks t
        WHERE t.flow = a.flow AND t.question = a.question AND t.place = a.place;
      CREATE INDEX flow_assignees_due ON @schema.flow_assignees (assignee, due_at, flow, question, place);
      CREATE INDEX flow_assignees_asked ON @schema.flow_assignees (assignee, asked_at, flow, question, place);
      CREATE INDEX flow_tasks_due ON @schema.flow_tasks (due_at, flow, question, place);
      CREATE INDEX flow_tasks_asked ON @schema.flow_tasks (asked_at, flow, question, place);
      CREATE INDEX flows_rollback_failed ON @schema.flows (id) WHERE rollback_failed;
      """

    /// The times of starts, of the third version. No index has them, so commits stay as they are.
    static let starts = "ALTER TABLE @schema.flows ADD COLUMN started_at bigint;"

    /// The order of changes, of the fourth version: each entry of a history has the number of the transaction that wrote
    /// it, and the last one that of a later commit without entries. Transactions with later numbers than the first one
    /// under way may have to be waited for, and none with earlier ones.
    ///
    /// A number of another server, which a restored dump brings, may be that of no transaction here yet; see
    /// ``forgettingForeignChanges``.
    ///
    /// The history has it and not `flows`, where no index has a column that each commit changes. Not every compatible
    /// database tells the numbers of transactions; there, all changes have the number 0, and none are listed.
    static let changes = """
      ALTER TABLE @schema.flow_history ADD COLUMN change bigint NOT NULL DEFAULT 0;
      CREATE INDEX flow_history_changes ON @schema.flow_history (change, flow);

      DO $do$
      BEGIN
        IF to_regprocedure('pg_catalog.pg_snapshot_xmin(pg_snapshot)') IS NULL THEN
          CREATE FUNCTION @schema.flow_change() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT 0::bigint';
          CREATE FUNCTION @schema.flow_unsettled() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT NULL::bigint';
          CREATE FUNCTION @schema.flow_next_change() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT NULL::bigint';
        ELSE
          -- The number of this transaction.
          CREATE FUNCTION @schema.flow_change() RETURNS bigint LANGUAGE sql VOLATILE AS
            'SELECT pg_catalog.pg_current_xact_id()::text::bigint';
          -- The number of the first transaction that may still be under way.
          CREATE FUNCTION @schema.flow_unsettled() RETURNS bigint LANGUAGE sql VOLATILE AS
            'SELECT pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::text::bigint';
          -- The number of a transaction that has not begun.
          CREATE FUNCTION @schema.flow_next_change() RETURNS bigint LANGUAGE sql VOLATILE AS
            'SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text::bigint';
        END IF;
      END
      $do$;

      -- For commits of earlier versions that wait for this migration.
      ALTER TABLE @schema.flow_history ALTER COLUMN change SET DEFAULT @schema.flow_change();
      """

    /// The statement after which changes that were numbered by another server come before all of this one. No visible
    /// change of this server has a number that it has not given yet.
    static let forgettingForeignChanges =
      "UPDATE @schema.flow_history SET change = 0 WHERE change >= (SELECT @schema.flow_next_change())"
  }
#endif
