#if PostgreSQL
  /// The functions of the first version: each call of the store that writes is one of them, and so one round trip.
  ///
  /// A refusal is a row of the result and no error, so that the wish of a refused acquire is committed. Each function
  /// returns rows of `flow_reply`, whose `kind` says what they are.
  ///
  /// They hold for the isolation level `READ COMMITTED`, where each statement sees what was committed before it. All
  /// take locks in this order, so that none waits for another in a circle: the rows of hosts from the earliest epoch to
  /// the latest, those of flows, those of leases. The end of an epoch removes the host's row first, and waits there for
  /// calls that lease a flow under it. A claim passes over flows that are locked, so it may end epochs before.
  extension Schema {
    static let leaseFunctions = """
      CREATE TYPE @schema.flow_reply AS (kind text, a bigint, b bigint, t text, u text, bytes bytea);

      -- The time of the store's clock: the one passed, or the server's.
      CREATE FUNCTION @schema.flow_now(p_now bigint) RETURNS bigint LANGUAGE sql VOLATILE AS $$
        SELECT coalesce(p_now, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
      $$;

      -- When a flow is due, if it is not leased. b is 1 for a runnable flow.
      CREATE FUNCTION @schema.flow_announce(p_id text) RETURNS SETOF @schema.flow_reply LANGUAGE sql VOLATILE AS $$
        SELECT 'due'::text, CASE f.status WHEN 'runnable' THEN f.changed_at ELSE f.wake_at END,
          CASE f.status WHEN 'runnable' THEN 1 ELSE 0 END::bigint, f.id, f.definition, NULL::bytea
        FROM @schema.flows f WHERE f.id = p_id
          AND (f.status = 'runnable' OR f.status = 'waiting' AND f.wake_at IS NOT NULL)
          AND NOT EXISTS (SELECT 1 FROM @schema.flow_leases l WHERE l.id = f.id)
      $$;

      -- Ends an epoch and its leases; with a time only if its beat is still overdue then.
      CREATE FUNCTION @schema.flow_end_epoch(p_epoch bigint, p_overdue bigint) RETURNS SETOF @schema.flow_reply
      LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_ids text[];
        v_wanted text[];
      BEGIN
        DELETE FROM @schema.flow_hosts WHERE epoch = p_epoch AND (p_overdue IS NULL OR overdue_at <= p_overdue);
        IF NOT FOUND THEN
          RETURN;
        END IF;
        WITH gone AS (DELETE FROM @schema.flow_leases WHERE epoch = p_epoch RETURNING id, wanted)
          SELECT array_agg(id), array_agg(id) FILTER (WHERE wanted) INTO v_ids, v_wanted FROM gone;
        RETURN QUERY SELECT 'freed'::text, NULL::bigint, NULL::bigint, x, NULL::text, NULL::bytea
          FROM unnest(v_wanted) x;
        RETURN QUERY SELECT d.* FROM unnest(v_ids) x, LATERAL @schema.flow_announce(x) d;
      END
      $$;

      CREATE FUNCTION @schema.flow_attach(
        p_now bigint, p_owner text, p_time bigint, p_attempt text, p_old bigint
      ) RETURNS SETOF @schema.flow_reply LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_epoch bigint;
        v_attempt text;
        v_until bigint;
      BEGIN
        -- One host attaches at a time.
        PERFORM 1 FROM @schema.flow_epochs FOR UPDATE;
        SELECT h.epoch, h.attempt INTO v_epoch, v_attempt FROM @schema.flow_hosts h WHERE h.name = p_owner;
        v_until := @schema.flow_later(@schema.flow_now(p_now), p_time);
        IF v_attempt = p_attempt THEN
          UPDATE @schema.flow_hosts SET overdue_at = v_until WHERE epoch = v_epoch;
          IF FOUND THEN
            RETURN QUERY SELECT 'epoch'::text, v_epoch, v_until, NULL::text, NULL::text, NULL::bytea;
            RETURN;
          END IF;
          v_epoch := NULL;
        END IF;
        IF v_epoch IS NOT NULL AND p_old IS NOT NULL AND p_old <> v_epoch THEN
          RETURN QUERY SELECT 'fenced'::text, v_epoch, NULL::bigint, NULL::text, NULL::text, NULL::bytea;
          RETURN;
        END IF;
        IF v_epoch IS NOT NULL THEN
          RETURN QUERY SELECT * FROM @schema.flow_end_epoch(v_epoch, NULL);
        END IF;
        UPDATE @schema.flow_epochs SET last = last + 1 RETURNING last INTO v_epoch;
        INSERT INTO @schema.flow_hosts VALUES (p_owner, v_epoch, p_attempt, v_until);
        RETURN QUERY SELECT 'epoch'::text, v_epoch, v_until, NULL::text, NULL::text, NULL::bytea;
      END
      $$;

      -- A time that is later, and at most the last one.
      CREATE FUNCTION @schema.flow_later(p_now bigint, p_time bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
        SELECT CASE WHEN p_time <= 0 THEN p_now WHEN p_now > 0 AND p_time > 9223372036854775807 - p_now
          THEN 9223372036854775807 ELSE p_now + p_time END
      $$;

      CREATE FUNCTION @schema.flow_beat(p_now bigint, p_owner text, p_epoch bigint, p_time bigint)
      RETURNS SETOF @schema.flow_reply LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_until bigint := @schema.flow_later(@schema.flow_now(p_now), p_time);
      BEGIN
        UPDATE @schema.flow_hosts SET overdue_at = v_until WHERE name = p_owner AND epoch = p_epoch;
        RETURN QUERY SELECT CASE WHEN FOUND THEN 'epoch' ELSE 'fenced' END::text, p_epoch, v_until, NULL::text,
          NULL::text, NULL::bytea;
      END
      $$;

      CREATE FUNCTION @schema.flow_detach(p_owner text, p_epoch bigint)
      RETURNS SETOF @schema.flow_reply LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        PERFORM 1 FROM @schema.flow_hosts WHERE name = p_owner AND epoch = p_epoch;
        IF FOUND THEN
          RETURN QUERY SELECT * FROM @schema.flow_end_epoch(p_epoch, NULL);
        END IF;
      END
      $$;

      CREATE FUNCTION @schema.flow_release(p_id text, p_owner text, p_epoch bigint)
      RETURNS SETOF @schema.flow_reply LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_wanted boolean;
      BEGIN
        DELETE FROM @schema.flow_leases l WHERE l.id = p_id AND l.epoch = p_epoch
          AND EXISTS (SELECT 1 FROM @schema.flow_hosts h WHERE h.name = p_owner AND h.epoch = p_epoch)
          RETURNING l.wanted INTO v_wanted;
        IF v_wanted IS NULL THEN
          RETURN;
        END IF;
        IF v_wanted THEN
          RETURN QUERY SELECT 'freed'::text, NULL::bigint, NULL::bigint, p_id, NULL::text, NULL::bytea;
        END IF;
        RETURN QUERY SELECT * FROM @schema.flow_announce(p_id);
      END
      $$;

      -- A flow and its values, of one moment.
      CREATE FUNCTION @schema.flow_read(p_id text) RETURNS SETOF @schema.flow_reply LANGUAGE sql VOLATILE AS $$
        SELECT 'flow'::text, f.revision, f.changed_at, f.id, NULL::text, f.snapshot
          FROM @schema.flows f WHERE f.id = p_id
        UNION ALL
        SELECT 'value'::text, v.number, NULL::bigint, f.id, NULL::text, v.bytes
          FROM @schema.flows f JOIN @schema.flow_values v ON v.flow = f.number WHERE f.id = p_id
      $$;

      -- p_checked is the revision of a flow whose sum is wrong, and whose bytes the caller has read all the same.
      CREATE FUNCTION @schema.flow_acquire(p_now bigint, p_id text, p_owner text, p_epoch bigint, p_checked bigint)
      RETURNS SETOF @schema.flow_reply LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_revision bigint;
        v_sound boolean;
        v_holder bigint;
        v_ended bigint;
        v_wanted boolean;
        v_now bigint := @schema.flow_now(p_now);
      BEGIN
        PERFORM 1 FROM @schema.flow_hosts WHERE name = p_owner AND epoch = p_epoch;
        IF FOUND THEN
          SELECT h.epoch INTO v_ended FROM @schema.flow_leases l JOIN @schema.flow_hosts h ON h.epoch = l.epoch
            WHERE l.id = p_id AND h.epoch <> p_epoch AND h.overdue_at <= v_now;
        END IF;
        PERFORM 1 FROM @schema.flow_hosts WHERE epoch = v_ended AND v_ended < p_epoch FOR UPDATE;
        PERFORM 1 FROM @schema.flow_hosts WHERE name = p_owner AND epoch = p_epoch FOR KEY SHARE;
        IF NOT FOUND THEN
          RETURN QUERY SELECT 'fenced'::text, p_epoch, NULL::bigint, NULL::text, NULL::text, NULL::bytea;
          RETURN;
        END IF;
        PERFORM 1 FROM @schema.flow_hosts WHERE epoch = v_ended AND v_ended > p_epoch FOR UPDATE;
        SELECT revision, digest = sha256(snapshot) INTO v_revision, v_sound FROM @schema.flows WHERE id = p_id
          FOR NO KEY UPDATE;
        IF NOT v_sound AND v_revision IS DISTINCT FROM p_checked THEN
          RETURN QUERY SELECT 'unchecked'::text, v_revision, NULL::bigint, NULL::text, NULL::text, NULL::bytea;
          RETURN QUERY SELECT * FROM @schema.flow_read(p_id);
          RETURN;
        END IF;
        IF v_ended IS NOT NULL THEN
          RETURN QUERY SELECT * FROM @schema.flow_end_epoch(v_ended, v_now);
        END IF;
        LOOP
          INSERT INTO @schema.flow_leases (id, epoch) VALUES (p_id, p_epoch) ON CONFLICT DO NOTHING;
          EXIT WHEN FOUND;
          SELECT epoch, wanted INTO v_holder, v_wanted FROM @schema.flow_leases WHERE id = p_id;
          CONTINUE WHEN NOT FOUND;
          EXIT WHEN v_holder = p_epoch;
          PERFORM 1 FROM @schema.flow_hosts WHERE epoch = v_holder AND overdue_at <= v_now;
          IF FOUND THEN
            -- Another host has leased the flow meanwhile, and is overdue too. Its row can only be locked earlier.
            RAISE EXCEPTION 'the flow was leased meanwhile' USING ERRCODE = 'serialization_failure';
          END IF;
          IF NOT v_wanted THEN
            UPDATE @schema.flow_leases SET wanted = true WHERE id = p_id AND epoch = v_holder AND NOT wanted;
            CONTINUE WHEN NOT FOUND;
            RETURN QUERY SELECT 'wanted'::text, v_holder, NULL::bigint, p_id, NULL::text, NULL::bytea;
          END IF;
          RETURN QUERY SELECT 'leased'::text, v_holder, NULL::bigint, NULL::text, NULL::text, NULL::bytea;
          RETURN;
        END LOOP;
        RETURN QUERY SELECT * FROM @schema.flow_read(p_id);
      END
      $$;

      CREATE FUNCTION @schema.flow_claim(
        p_now bigint, p_owner text, p_epoch bigint, p_definitions text[], p_lows bigint[], p_highs bigint[],
        p_limit bigint, p_except text[]
      ) RETURNS SETOF @schema.flow_reply LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_now bigint := @schema.flow_now(p_now);
        v_ended bigint;
        v_ending bigint[] := '{}';
        v_place bigint;
        v_due record;
        v_ids text[] := '{}';
        v_times bigint[] := '{}';
      BEGIN
        PERFORM 1 FROM @schema.flow_hosts WHERE name = p_owner AND epoch = p_epoch;
        IF FOUND AND p_limit > 0 THEN
          SELECT coalesce(array_agg(h.epoch ORDER BY h.epoch), '{}') INTO v_ending
            FROM @schema.flow_hosts h WHERE h.overdue_at <= v_now AND h.epoch <> p_epoch AND EXISTS (
              SELECT 1 FROM @schema.flow_leases l JOIN @schema.flows f ON f.id = l.id
                JOIN unnest(p_definitions, p_lows, p_highs) s (definition, low, high)
                  ON f.definition = s.definition AND f.version BETWEEN s.low AND s.high
              WHERE l.epoch = h.epoch AND (f.status = 'runnable' OR f.status = 'waiting' AND f.wake_at <= v_now));
        END IF;
        -- The rows of hosts are locked in the order of their epochs.
        FOREACH v_ended IN ARRAY v_ending LOOP
          PERFORM 1 FROM @schema.flow_hosts WHERE epoch = v_ended AND v_ended < p_epoch FOR UPDATE;
        END LOOP;
        PERFORM 1 FROM @schema.flow_hosts WHERE name = p_owner AND epoch = p_epoch FOR KEY SHARE;
        IF NOT FOUND THEN
          RETURN QUERY SELECT 'fenced'::text, p_epoch, NULL::bigint, NULL::text, NULL::text, NULL::bytea;
          RETURN;
        END IF;
        FOREACH v_ended IN ARRAY v_ending LOOP
          PERFORM 1 FROM @schema.flow_hosts WHERE epoch = v_ended AND v_ended > p_epoch FOR UPDATE;
        END LOOP;
        FOREACH v_ended IN ARRAY v_ending LOOP
          RETURN QUERY SELECT * FROM @schema.flow_end_epoch(v_ended, v_now);
        END LOOP;
        IF p_limit <= 0 THEN
          RETURN;
        END IF;
        FOR v_place IN 1..coalesce(array_length(p_definitions, 1), 0) LOOP
          FOR v_due IN
            -- The conditions of f are looked at again when its row is locked.
            SELECT d.id, d.due_at AS at FROM @schema.flow_due d JOIN @schema.flows f ON f.number = d.flow
            WHERE d.definition = p_definitions[v_place] AND d.runnable
              AND d.version BETWEEN p_lows[v_place] AND p_highs[v_place] AND d.id <> ALL (p_except)
              AND NOT EXISTS (SELECT 1 FROM @schema.flow_leases l WHERE l.id = d.id)
              AND f.status = 'runnable' AND f.digest = sha256(f.snapshot)
            ORDER BY d.due_at LIMIT p_limit FOR NO KEY UPDATE OF f SKIP LOCKED
          LOOP
            v_ids := v_ids || v_due.id;
            v_times := v_times || v_due.at;
          END LOOP;
          FOR v_due IN
            SELECT d.id, d.due_at AS at FROM @schema.flow_due d JOIN @schema.flows f ON f.number = d.flow
            WHERE d.definition = p_definitions[v_place] AND NOT d.runnable AND d.due_at <= v_now
              AND d.version BETWEEN p_lows[v_place] AND p_highs[v_place] AND d.id <> ALL (p_except)
              AND NOT EXISTS (SELECT 1 FROM @schema.flow_leases l WHERE l.id = d.id)
              AND f.status = 'waiting' AND f.wake_at <= v_now AND f.digest = sha256(f.snapshot)
            ORDER BY d.due_at LIMIT p_limit FOR NO KEY UPDATE OF f SKIP LOCKED
          LOOP
            v_ids := v_ids || v_due.id;
            v_times := v_times || v_due.at;
          END LOOP;
        END LOOP;
        FOR v_due IN
          SELECT x.id, x.at FROM unnest(v_ids, v_times) x (id, at) ORDER BY x.at LIMIT p_limit
        LOOP
          -- The flow was locked after the moment that its row was found in: it may have been leased between the two.
          INSERT INTO @schema.flow_leases (id, epoch) VALUES (v_due.id, p_epoch) ON CONFLICT DO NOTHING;
          IF FOUND THEN
            RETURN QUERY SELECT * FROM @schema.flow_read(v_due.id);
          END IF;
        END LOOP;
      END
      $$;
      """

    /// The commit of the first version, whose rows of assignees have no times.
    static let firstCommitFunction = commitFunction(
      "CREATE",
      insertingAssignees: """
        INSERT INTO @schema.flow_assignees
                  SELECT x.name, v_number, p_questions[x.place + 1], x.place
        """)

    /// The commit of the second version.
    static let secondCommitFunction = commitFunction("CREATE OR REPLACE", insertingAssignees: assigneesWithTimes)

    /// The commit of the third version. It has one parameter more than that of the second version, which stays for
    /// stores of that version that were open during the migration.
    static let commitFunction = commitFunction(
      "CREATE", insertingAssignees: assigneesWithTimes,
      start: (
        parameter: ", p_started_at bigint", column: ", started_at", value: ", p_started_at",
        update: ", started_at = p_started_at"
      ))

    private static let assigneesWithTimes = """
      INSERT INTO @schema.flow_assignees (assignee, flow, question, place, asked_at, due_at)
                SELECT x.name, v_number, p_questions[x.place + 1], x.place, p_asked[x.place + 1], p_due[x.place + 1]
      """

    /// The commit, in the order of checks that `FlowStore.commit(_:)` promises.
    private static func commitFunction(
      _ verb: String, insertingAssignees: String,
      start: (parameter: String, column: String, value: String, update: String) = ("", "", "", "")
    ) -> String {
      """
      \(verb) FUNCTION @schema.flow_commit(
        p_now bigint, p_id text, p_commit text, p_expecting bigint, p_fence bigint, p_releases boolean,
        p_checked bigint, p_definition text, p_version bigint, p_status text, p_rollback_failed boolean,
        p_wake_at bigint, p_steps text, p_labels text, p_label_keys text[], p_label_values text[],
        p_questions text[], p_task_steps text[], p_prompts text[], p_asked bigint[], p_due bigint[], p_assignees text[],
        p_assignee_names text[], p_assignee_places bigint[],
        p_snapshot bytea, p_needed bigint[], p_new_numbers bigint[], p_new_bytes bytea[], p_dropped bigint[],
        p_sequences bigint[], p_times bigint[], p_whats text[], p_history_steps text[], p_principals text[],
        p_details text[], p_replaces boolean\(start.parameter)
      ) RETURNS SETOF @schema.flow_reply LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_now bigint;
        v_number bigint;
        v_revision bigint;
        v_commit text;
        v_labels text;
        v_tasks bytea;
        v_due text;
        v_old_due text;
        v_due_at bigint;
        v_known boolean;
        v_slot boolean := false;
        v_refusal text;
        v_holder bigint;
        v_wanted boolean;
        v_digest bytea := sha256(convert_to(concat_ws(' ', p_questions, p_task_steps, p_prompts, p_asked, p_due,
          p_assignees), 'UTF8'));
      BEGIN
        FOR v_try IN 1..2 LOOP
          -- The sum tells damage, and the header a format that the caller may not know.
          SELECT number, revision, commit_id, labels, tasks_digest,
              CASE status WHEN 'runnable' THEN 'runnable' WHEN 'waiting' THEN wake_at::text END
                || ' ' || version || ' ' || definition,
              digest = sha256(snapshot) AND substr(snapshot, 1, 6) = substr(p_snapshot, 1, 6)
            INTO v_number, v_revision, v_commit, v_labels, v_tasks, v_old_due, v_known
            FROM @schema.flows WHERE id = p_id FOR NO KEY UPDATE;
          IF v_try = 1 AND p_fence IS NOT NULL THEN
            PERFORM 1 FROM @schema.flow_leases WHERE id = p_id AND epoch = p_fence FOR UPDATE;
            IF NOT FOUND THEN
              v_refusal := 'fenced';
            END IF;
          ELSIF v_try = 1 AND v_number IS NULL THEN
            -- No row stands for a flow that is not there. The lease of nobody keeps hosts from leasing it meanwhile.
            INSERT INTO @schema.flow_leases (id, epoch) VALUES (p_id, 0) ON CONFLICT DO NOTHING;
            v_slot := FOUND;
          END IF;
          EXIT WHEN v_number IS NOT NULL;
        END LOOP;
        v_now := @schema.flow_now(p_now);
        IF p_fence IS NULL THEN
          PERFORM 1 FROM @schema.flow_leases l JOIN @schema.flow_hosts h ON h.epoch = l.epoch
            WHERE l.id = p_id AND h.overdue_at > v_now;
          IF FOUND THEN
            v_refusal := 'leased';
          END IF;
        END IF;
        IF NOT v_known AND v_revision IS DISTINCT FROM p_checked THEN
          v_refusal := 'unchecked';
        ELSIF v_commit = p_commit THEN
          v_refusal := 'done';
        ELSIF v_refusal IS NULL AND coalesce(v_revision, 0) <> p_expecting THEN
          v_refusal := 'conflict';
        ELSIF v_refusal IS NULL AND EXISTS (
          SELECT 1 FROM unnest(p_needed) n
            WHERE NOT EXISTS (SELECT 1 FROM @schema.flow_values v WHERE v.flow = v_number AND v.number = n)) THEN
          v_refusal := 'missing';
          RETURN QUERY SELECT 'present'::text, v.number, NULL::bigint, NULL::text, NULL::text, NULL::bytea
            FROM @schema.flow_values v WHERE v.flow = v_number AND v.number = ANY (p_needed);
        END IF;
        IF v_slot THEN
          DELETE FROM @schema.flow_leases WHERE id = p_id AND epoch = 0;
        END IF;
        IF v_refusal IS NOT NULL THEN
          RETURN QUERY SELECT v_refusal, coalesce(v_revision, 0), NULL::bigint, NULL::text, NULL::text, NULL::bytea;
          IF v_refusal IN ('unchecked', 'done') THEN
            RETURN QUERY SELECT * FROM @schema.flow_read(p_id);
          END IF;
          RETURN;
        END IF;

        IF v_number IS NULL THEN
          INSERT INTO @schema.flows (
            id, revision, commit_id, changed_at, definition, version, status, rollback_failed, wake_at, steps, labels,
            tasks_digest, digest, snapshot\(start.column)
          ) VALUES (
            p_id, p_expecting + 1, p_commit, v_now, p_definition, p_version, p_status, p_rollback_failed, p_wake_at,
            p_steps, p_labels, v_digest, sha256(p_snapshot), p_snapshot\(start.value)
          ) RETURNING number INTO v_number;
        ELSE
          UPDATE @schema.flows SET
            revision = p_expecting + 1, commit_id = p_commit, changed_at = v_now, definition = p_definition,
            version = p_version, status = p_status, rollback_failed = p_rollback_failed, wake_at = p_wake_at,
            steps = p_steps, labels = p_labels, tasks_digest = v_digest, digest = sha256(p_snapshot),
            snapshot = p_snapshot\(start.update)
          WHERE number = v_number;
        END IF;
        -- A flow that goes on under its lease keeps the time since which it can run.
        v_due_at := CASE p_status WHEN 'runnable' THEN v_now WHEN 'waiting' THEN p_wake_at END;
        v_due := CASE p_status WHEN 'runnable' THEN 'runnable' WHEN 'waiting' THEN p_wake_at::text END
          || ' ' || p_version || ' ' || p_definition;
        IF v_due_at IS NULL THEN
          IF v_old_due IS NOT NULL THEN
            DELETE FROM @schema.flow_due WHERE flow = v_number;
          END IF;
        ELSIF v_due IS DISTINCT FROM v_old_due OR p_status = 'runnable' AND (p_fence IS NULL OR p_releases) THEN
          INSERT INTO @schema.flow_due VALUES (
            v_number, p_id, p_definition, p_version, p_status = 'runnable', v_due_at)
          ON CONFLICT (flow) DO UPDATE SET definition = excluded.definition, version = excluded.version,
            runnable = excluded.runnable, due_at = excluded.due_at;
        END IF;
        IF p_labels <> coalesce(v_labels, '{}') THEN
          DELETE FROM @schema.flow_labels WHERE flow = v_number;
          INSERT INTO @schema.flow_labels SELECT k, v, v_number FROM unnest(p_label_keys, p_label_values) x (k, v);
        END IF;
        IF v_tasks IS DISTINCT FROM v_digest THEN
          IF v_tasks IS NOT NULL THEN
            DELETE FROM @schema.flow_assignees WHERE flow = v_number;
            DELETE FROM @schema.flow_tasks WHERE flow = v_number;
          END IF;
          INSERT INTO @schema.flow_tasks
            SELECT v_number, x.question, x.place - 1, x.step, x.prompt, x.asked, x.due, x.assignees
            FROM unnest(p_questions, p_task_steps, p_prompts, p_asked, p_due, p_assignees) WITH ORDINALITY
              x (question, step, prompt, asked, due, assignees, place);
          \(insertingAssignees)
            FROM unnest(p_assignee_names, p_assignee_places) x (name, place) ON CONFLICT DO NOTHING;
        END IF;
        INSERT INTO @schema.flow_values SELECT v_number, n, b FROM unnest(p_new_numbers, p_new_bytes) x (n, b)
          ON CONFLICT (flow, number) DO UPDATE SET bytes = excluded.bytes;
        DELETE FROM @schema.flow_values WHERE flow = v_number AND number = ANY (p_dropped);
        IF p_replaces THEN
          DELETE FROM @schema.flow_history WHERE flow = v_number;
        END IF;
        INSERT INTO @schema.flow_history
          SELECT v_number, x.* FROM unnest(p_sequences, p_times, p_whats, p_history_steps, p_principals, p_details) x;
        IF p_releases AND p_fence IS NOT NULL THEN
          DELETE FROM @schema.flow_leases WHERE id = p_id AND epoch = p_fence RETURNING wanted INTO v_wanted;
          IF v_wanted THEN
            RETURN QUERY SELECT 'freed'::text, NULL::bigint, NULL::bigint, p_id, NULL::text, NULL::bytea;
          END IF;
        END IF;
        RETURN QUERY SELECT 'written'::text, p_expecting + 1, v_now, NULL::text, NULL::text, NULL::bytea;
        RETURN QUERY SELECT * FROM @schema.flow_announce(p_id);
      END
      $$;
      """
    }

    /// The two other writes.
    static let writeFunctions = """
      CREATE FUNCTION @schema.flow_delete(
        p_now bigint, p_id text, p_expecting bigint, p_fence bigint, p_checked bigint, p_header bytea
      ) RETURNS SETOF @schema.flow_reply LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_number bigint;
        v_revision bigint;
        v_known boolean;
        v_wanted boolean;
        v_refusal text;
      BEGIN
        SELECT number, revision, digest = sha256(snapshot) AND substr(snapshot, 1, 6) = p_header
          INTO v_number, v_revision, v_known FROM @schema.flows WHERE id = p_id FOR UPDATE;
        IF p_fence IS NOT NULL THEN
          PERFORM 1 FROM @schema.flow_leases WHERE id = p_id AND epoch = p_fence FOR UPDATE;
          IF NOT FOUND THEN
            v_refusal := 'fenced';
          END IF;
        ELSE
          PERFORM 1 FROM @schema.flow_leases l JOIN @schema.flow_hosts h ON h.epoch = l.epoch
            WHERE l.id = p_id AND h.overdue_at > @schema.flow_now(p_now);
          IF FOUND THEN
            v_refusal := 'leased';
          END IF;
        END IF;
        IF v_refusal IS NULL THEN
          v_refusal := CASE
            WHEN v_number IS NULL THEN 'missing'
            WHEN NOT v_known AND v_revision IS DISTINCT FROM p_checked THEN 'unchecked'
            WHEN v_revision <> p_expecting THEN 'conflict' END;
        END IF;
        IF v_refusal IS NOT NULL THEN
          RETURN QUERY SELECT v_refusal, v_revision, NULL::bigint, NULL::text, NULL::text, NULL::bytea;
          IF v_refusal = 'unchecked' THEN
            RETURN QUERY SELECT * FROM @schema.flow_read(p_id);
          END IF;
          RETURN;
        END IF;
        DELETE FROM @schema.flow_labels WHERE flow = v_number;
        DELETE FROM @schema.flow_assignees WHERE flow = v_number;
        DELETE FROM @schema.flow_tasks WHERE flow = v_number;
        DELETE FROM @schema.flow_due WHERE flow = v_number;
        DELETE FROM @schema.flow_values WHERE flow = v_number;
        DELETE FROM @schema.flow_history WHERE flow = v_number;
        DELETE FROM @schema.flows WHERE number = v_number;
        DELETE FROM @schema.flow_leases WHERE id = p_id RETURNING wanted INTO v_wanted;
        IF v_wanted THEN
          RETURN QUERY SELECT 'freed'::text, NULL::bigint, NULL::bigint, p_id, NULL::text, NULL::bytea;
        END IF;
        RETURN QUERY SELECT 'deleted'::text, v_revision, NULL::bigint, NULL::text, NULL::text, NULL::bytea;
      END
      $$;

      CREATE FUNCTION @schema.flow_set_note(
        p_now bigint, p_key text, p_bytes bytea, p_until bigint, p_old_bytes bytea, p_old_until bigint
      ) RETURNS SETOF @schema.flow_reply LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_bytes bytea;
        v_until bigint;
        v_done boolean;
      BEGIN
        SELECT bytes, until INTO v_bytes, v_until FROM @schema.flow_notes WHERE key = p_key FOR UPDATE;
        v_done := v_bytes IS NOT DISTINCT FROM p_old_bytes AND v_until IS NOT DISTINCT FROM p_old_until;
        IF v_done AND v_bytes IS NULL AND p_bytes IS NOT NULL THEN
          INSERT INTO @schema.flow_notes VALUES (p_key, p_bytes, p_until) ON CONFLICT DO NOTHING;
          v_done := FOUND;
        ELSIF v_done AND p_bytes IS NOT NULL THEN
          UPDATE @schema.flow_notes SET bytes = p_bytes, until = p_until WHERE key = p_key;
        ELSIF v_done THEN
          DELETE FROM @schema.flow_notes WHERE key = p_key;
        END IF;
        IF NOT v_done THEN
          RETURN QUERY SELECT 'conflict'::text, NULL::bigint, NULL::bigint, NULL::text, NULL::text, NULL::bytea;
          RETURN;
        END IF;
        -- A few with each note, so that no call has to remove many.
        DELETE FROM @schema.flow_notes WHERE key IN (
          SELECT key FROM @schema.flow_notes WHERE until <= @schema.flow_now(p_now) AND key <> p_key
            LIMIT 10 FOR UPDATE SKIP LOCKED);
      END
      $$;
      """
  }
#endif
