#if PostgreSQL
  /// The commit, in each version that was published.
  extension Schema {
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
    static let thirdCommitFunction = commitFunction("CREATE", insertingAssignees: assigneesWithTimes, start: startedAt)

    /// The commits of the fourth version, which number the changes: that of this version, and the one that stays for
    /// stores of the second version.
    static let commitFunctions = [("", "", "", ""), startedAt].map { start in
      commitFunction(
        "CREATE OR REPLACE", insertingAssignees: assigneesWithTimes, start: start, change: ", @schema.flow_change()",
        numbering: numberingLastEntry)
    }.joined(separator: "\n\n")

    /// A reader of changes finds the flow by its last entry.
    private static let numberingLastEntry = """

              IF cardinality(p_sequences) = 0 THEN
                UPDATE @schema.flow_history SET change = @schema.flow_change() WHERE flow = v_number
                  AND sequence = (SELECT max(sequence) FROM @schema.flow_history WHERE flow = v_number);
              END IF;
      """

    private static let startedAt = (
      parameter: ", p_started_at bigint", column: ", started_at", value: ", p_started_at",
      update: ", started_at = p_started_at"
    )

    private static let assigneesWithTimes = """
      INSERT INTO @schema.flow_assignees (assignee, flow, question, place, asked_at, due_at)
                SELECT x.name, v_number, p_questions[x.place + 1], x.place, p_asked[x.place + 1], p_due[x.place + 1]
      """

    /// The commit, in the order of checks that `FlowStore.commit(_:)` promises.
    ///
    /// - Parameters:
    ///   - verb: The words that make the function, or replace it.
    ///   - insertingAssignees: The beginning of the statement that inserts the rows of assignees.
    ///   - start: What the function has for the time of the start.
    ///   - change: The number of the change, behind the other columns of an entry of the history.
    ///   - numbering: The statement that numbers a commit without entries.
    private static func commitFunction(
      _ verb: String, insertingAssignees: String,
      start: (parameter: String, column: String, value: String, update: String) = ("", "", "", ""), change: String = "",
      numbering: String = ""
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
          SELECT v_number, x.*\(change) FROM unnest(p_sequences, p_times, p_whats, p_history_steps, p_principals, p_details) x;\(numbering)
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
  }
#endif
