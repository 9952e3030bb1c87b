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
