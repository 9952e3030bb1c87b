#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowPostgreSQL
  import ActorFlowTesting
  import Foundation
  import Testing

  @Suite("Opening a store in PostgreSQL, and its errors", .needsServer, .timeLimit(.minutes(15)))
  struct OpeningTests {
    private static let snapshot = FlowSnapshot(definition: "check", version: 1, status: .runnable)

    private func write(
      to id: FlowID = "flow", expecting revision: Revision = .none, noting sequence: Int? = nil
    ) -> FlowWrite {
      FlowWrite(
        Self.snapshot, to: id, expecting: revision,
        appending: sequence.map { [HistoryEntry(sequence: $0, at: Date(microseconds: 0), what: "noted")] } ?? [])
    }

    @Test("runnable and due flows are listed in pages by their ids, whatever their definitions")
    func dueFlows() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let store = try await database.open(database.newSchema())
      let now = database.clock.now
      for number in 0..<24 {
        let status: FlowSnapshot.Status = number % 2 == 0 ? .runnable : .waiting
        var snapshot = FlowSnapshot(definition: ["a", "b", "c"][number % 3], version: 1, status: status)
        if status == .waiting, number > 3 { snapshot.wakeAt = now.addingTimeInterval(number < 16 ? -1 : 60) }
        _ = try await store.commit(FlowWrite(snapshot, to: FlowID("flow \(number)"), expecting: .none))
      }
      let all = try await store.list(FlowQuery(), after: nil, limit: 100).flows
      for definition in [nil, "b", "d"] {
        for query in [
          FlowQuery(definition: definition, status: [.runnable]),
          FlowQuery(definition: definition, status: [.waiting], dueBefore: now),
        ] {
          var (found, cursor) = ([FlowID](), String?.none)
          repeat {
            let page = try await store.list(query, after: cursor, limit: 2)
            found += page.flows.map(\.id)
            cursor = page.cursor
          } while cursor != nil
          let expected = all.filter(query.matches).map(\.id)
          #expect(found == expected && (definition == "d") == expected.isEmpty, "\(query)")
          #expect(try await store.count(query, upTo: 100) == expected.count)
        }
      }
      await store.close()
    }

    @Test(
      "a text that is no address is refused without showing it",
      arguments: ["", "nonsense secret", "postgres://ann:secret@[server/flows", "host=server password='secret"])
    func wrongURL(_ url: String) async throws {
      let error = await #expect(throws: FlowStoreError.self) { try await PostgreSQLFlowStore(url: url) }
      #expect(error?.code == .unavailable)
      #expect(error.map { "\($0)".contains("secret") } == false)
    }

    @Test(
      "a sign of the password that divides the URL is told without showing the password",
      arguments: ["postgresql://ann:se@cret@server/flows", "postgresql://ann:se/cret@server/flows"])
    func ambiguousURL(_ url: String) async throws {
      let error = await #expect(throws: FlowStoreError.self) { try await PostgreSQLFlowStore(url: url) }
      let text = error.map { "\($0)" } ?? ""
      #expect(error?.code == .unavailable && text.contains("%40") && !text.contains("cret"))
    }

    @Test("options that no connection can have are limited")
    func options() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      for (number, time) in [(Int.min, Duration.zero - .seconds(Int64.max)), (0, .zero), (3, .seconds(Int64.max))] {
        do {
          let store = try await database.open(database.newSchema()) {
            ($0.connections, $0.connectTime, $0.replyTime) = (number, time, time)
          }
          _ = try await store.commit(write())
          await store.close()
        } catch let error as FlowStoreError {
          // A server under load may take longer than the shortest time.
          #expect(time < .seconds(1) && [.unavailable, .outcomeUnknown].contains(error.code), "\(error)")
        }
      }
    }

    @Test("a server that cannot be reached is unavailable, and the error names it without the password")
    func unreachable() async throws {
      let url = "postgresql://ann:secret@localhost/flows?host=/nowhere"
      let error = await #expect(throws: FlowStoreError.self) { try await PostgreSQLFlowStore(url: url) }
      #expect(error?.code == .unavailable)
      let text = error.map { "\($0)" } ?? ""
      #expect(text.contains("/nowhere") && text.contains("ann@") && !text.contains("secret"))
    }

    @Test(
      "a schema without a possible name is refused", arguments: ["", "pg_flows", String(repeating: "a", count: 64)])
    func wrongSchema(_ name: String) async throws {
      let database = try TestDatabase()
      let error = await #expect(throws: FlowStoreError.self) { try await database.open(name) }
      #expect(error?.code == .unavailable)
    }

    @Test("a schema may have any other name")
    func quotedSchema() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema() + " é 'x'"
      let store = try await database.open(schema)
      _ = try await store.commit(write())
      #expect(try await store.load("flow") != nil)
      await store.close()
      try RawConnection(database.url).execute("DROP SCHEMA \"\(schema)\" CASCADE")
    }

    @Test("many stores that are opened at once on an empty database make its tables once")
    func concurrently() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            let store = try await database.open(schema)
            _ = try await store.commit(write(to: FlowID("flow \(number)")))
            await store.close()
          }
        }
        try await group.waitForAll()
      }
      let versions = try RawConnection(database.url).texts(
        "SELECT version FROM \"\(schema)\".flow_schema WHERE version > 0")
      #expect(versions == ["1", "2", "3", "4"])
    }

    @Test("tables of version 1 get the times of inboxes when they are opened")
    func olderSchema() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let first = try await database.open(schema)
      var snapshot = Self.snapshot
      let times = [nil, 30, 10, 20].map { $0.map { Date(timeIntervalSince1970: $0) } }
      snapshot.tasks = times.enumerated().map { number, due in
        OpenTask(
          question: "\(number)", step: "check/step", prompt: "Form", assignees: ["ann", "bob"], due: due,
          askedAt: Date(timeIntervalSince1970: 100 - Double(number)))
      }
      _ = try await first.commit(FlowWrite(snapshot, to: "flow", expecting: .none))
      await first.close()
      let tables = "\"\(schema)\""
      try RawConnection(database.url).execute(
        """
        DELETE FROM \(tables).flow_schema WHERE version > 1;
        \(Self.droppingChanges(in: schema)) \(Self.droppingStarts(in: schema))
        ALTER TABLE \(tables).flow_assignees DROP COLUMN asked_at, DROP COLUMN due_at;
        DROP INDEX \(tables).flow_tasks_due, \(tables).flow_tasks_asked, \(tables).flows_rollback_failed;
        """)
      let store = try await database.open(schema)
      for (order, expected) in [(TaskQuery.Order.due, "2310"), (.asked, "3210"), (.flow, "0123")] {
        for names in [nil, ["bob"], ["ann", "bob"]] as [[String]?] {
          let page = try await store.tasks(TaskQuery(assignees: names, order: order), after: nil, limit: 9)
          #expect(page.tasks.map(\.task.question).joined() == expected)
        }
      }
      await store.close()
    }

    @Test("tables of version 2 get the times of starts with the next commits, and keep their function for open stores")
    func tablesWithoutStarts() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let first = try await database.open(schema)
      for id in ["a", "b"] as [FlowID] { _ = try await first.commit(write(to: id)) }
      await first.close()
      let connection = try RawConnection(database.url)
      try connection.execute(
        "DELETE FROM \"\(schema)\".flow_schema WHERE version > 2; " + Self.droppingChanges(in: schema)
          + Self.droppingStarts(in: schema))
      let store = try await database.open(schema)
      let query = FlowQuery(startedBefore: .distantFuture)
      #expect(try await store.list(query, after: nil, limit: 9).flows.isEmpty)
      var snapshot = Self.snapshot
      snapshot.startedAt = database.clock.now.stored
      let written = try await store.commit(FlowWrite(snapshot, to: "a", expecting: Revision(1)))
      #expect(try await store.list(query, after: nil, limit: 9).flows == [FlowSummary(written)])
      let all = try await store.list(FlowQuery(), after: nil, limit: 9).flows
      #expect(all.map(\.startedAt) == [snapshot.startedAt, nil])
      #expect(try await store.count(query, upTo: 9) == 1)
      let functions = try connection.texts(
        "SELECT pronargs FROM pg_proc WHERE proname = 'flow_commit' AND pronamespace = '\"\(schema)\"'::regnamespace "
          + "ORDER BY 1")
      #expect(functions == ["36", "37"])
      await store.close()
    }

    /// The statements that take the third version of the tables back.
    private static func droppingStarts(in schema: String) -> String {
      """
      ALTER TABLE "\(schema)".flows DROP COLUMN started_at;
      DO $$ BEGIN EXECUTE (SELECT 'DROP FUNCTION ' || oid::regprocedure FROM pg_proc
        WHERE proname = 'flow_commit' AND pronargs = 37 AND pronamespace = '"\(schema)"'::regnamespace); END $$;
      """
    }

    /// The statements that take the fourth version of the tables back, but for the function that commits.
    private static func droppingChanges(in schema: String) -> String {
      """
      ALTER TABLE "\(schema)".flow_history DROP COLUMN change;
      DROP FUNCTION "\(schema)".flow_change, "\(schema)".flow_unsettled, "\(schema)".flow_next_change;
      """
    }

    @Test("flows of tables of version 3 come first when changes are read, in pages of any size, and then those to come")
    func tablesWithoutChanges() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let first = try await database.open(schema)
      for id in ["c", "a", "b"] as [FlowID] { _ = try await first.commit(write(to: id, noting: 1)) }
      await first.close()
      try RawConnection(database.url).execute(
        "DELETE FROM \"\(schema)\".flow_schema WHERE version > 3; " + Self.droppingChanges(in: schema))
      let store = try await database.open(schema)
      var (cursor, found) = (String?.none, [FlowID]())
      // Other transactions of the server may delay the last one.
      while found.count < 4 {
        let page = try await store.changed(FlowQuery(), after: cursor, limit: 1)
        found += page.changes.map(\.flow.id)
        cursor = page.cursor
        if found.count == 3, !page.changes.isEmpty {
          _ = try await store.commit(write(to: "a", expecting: Revision(1), noting: 2))
        }
      }
      #expect(found == ["c", "a", "b", "a"])
      let error = await #expect(throws: FlowStoreError.self) {
        _ = try await store.changed(FlowQuery(), after: StoreCursor(["\(Int.max / 2)", "0"]).description, limit: 1)
      }
      #expect(error?.code == .notFound && error?.message.contains("restored from a backup") == true)
      await store.close()
    }

    @Test("changes that another server has numbered, as a restored dump has them, come first")
    func foreignChanges() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let first = try await database.open(schema)
      for id in ["b", "a"] as [FlowID] { _ = try await first.commit(write(to: id, noting: 1)) }
      await first.close()
      try RawConnection(database.url).execute(
        "UPDATE \"\(schema)\".flow_history SET change = 4000000000000000 + flow")
      let store = try await database.open(schema)
      _ = try await store.commit(write(to: "c", noting: 1))
      var (cursor, found) = (String?.none, [FlowID]())
      while found.count < 3 {
        let page = try await store.changed(FlowQuery(), after: cursor, limit: 9)
        found += page.changes.map(\.flow.id)
        cursor = page.cursor
      }
      #expect(found == ["b", "a", "c"])
      await store.close()
    }

    @Test("a database that does not tell which transactions are under way commits, and cannot list changes")
    func withoutTransactionNumbers() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let store = try await database.open(schema)
      try RawConnection(database.url).execute(
        """
        CREATE OR REPLACE FUNCTION "\(schema)".flow_change() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT 0::bigint';
        CREATE OR REPLACE FUNCTION "\(schema)".flow_unsettled() RETURNS bigint LANGUAGE sql VOLATILE AS
          'SELECT NULL::bigint';
        """)
      _ = try await store.commit(write(to: "a", noting: 1))
      let error = await #expect(throws: FlowStoreError.self) { _ = try await store.lastChange() }
      #expect(error?.code == .unavailable)
      await store.close()
    }

    @Test("a change is listed only when every transaction that began to write before it has ended")
    func unsettled() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let store = try await database.open(schema)
      let other = try RawConnection(database.url)
      try other.execute(
        "BEGIN; CREATE TEMPORARY TABLE t_\(schema.filter(\.isNumber)) (x int)")
      _ = try await store.commit(write(to: "a", noting: 1))
      let page = try await store.changed(FlowQuery(), after: nil, limit: 9)
      #expect(page.changes.isEmpty)
      try other.execute("COMMIT")
      var found: [FlowChange] = []
      while found.isEmpty { found = try await store.changed(FlowQuery(), after: page.cursor, limit: 9).changes }
      #expect(found.map(\.flow.id) == ["a"])
      await store.close()
    }

    @Test("tables of a newer version are refused, when they are opened and when they change under an open store")
    func newerVersion() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let store = try await database.open(schema)
      let connection = try RawConnection(database.url)
      try connection.execute("INSERT INTO \"\(schema)\".flow_schema VALUES (99, now())")
      try connection.execute("DROP FUNCTION \"\(schema)\".flow_read CASCADE")
      for call in [{ _ = try await database.open(schema) }, { _ = try await store.load("flow") }] {
        let error = await #expect(throws: FlowStoreError.self) { try await call() }
        #expect(error?.code == .unsupportedFormat)
      }
      await store.close()
    }

    @Test("a role without rights is told the remedy, and works with the tables that the script has made")
    func rights() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let role = "role_\(schema)"
      let connection = try RawConnection(database.url)
      try connection.execute("CREATE ROLE \"\(role)\" LOGIN")
      defer {
        try? connection.execute("DROP OWNED BY \"\(role)\"")
        try? connection.execute("DROP ROLE \"\(role)\"")
      }
      var options = PostgreSQLFlowStore.Options()
      (options.schema, options.connections) = (schema, 2)
      let url = "\(database.url)&user=\(role)"
      let refused = await #expect(throws: FlowStoreError.self) {
        try await PostgreSQLFlowStore(url: url, options: options)
      }
      #expect(refused?.code == .unavailable)
      #expect(refused?.message.contains("PostgreSQLFlowStore.script") == true)

      options.migrates = false
      let missing = await #expect(throws: FlowStoreError.self) {
        try await PostgreSQLFlowStore(url: url, options: options)
      }
      #expect(missing?.code == .unavailable)
      #expect(missing?.message.contains("PostgreSQLFlowStore.script") == true)

      try connection.execute(PostgreSQLFlowStore.script(schema: schema, grantingTo: role))
      let store = try await PostgreSQLFlowStore(url: url, options: options)
      let epoch = try await store.attach(owner: "ann", for: .seconds(60))
      _ = try await store.acquire("flow", under: epoch)
      var write = write()
      write.fence = epoch.fence
      _ = try await store.commit(write)
      try await store.delete("flow", expecting: Revision(1), fence: epoch.fence)
      await store.close()
    }

    @Test("a full disk is unavailable, and nothing was written")
    func fullDisk() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let store = try await database.open(schema)
      let connection = try RawConnection(database.url)
      try connection.execute(Self.trigger(in: schema, "RAISE EXCEPTION 'full' USING ERRCODE = '53100';"))
      let error = await #expect(throws: FlowStoreError.self) { try await store.commit(write()) }
      #expect(error?.code == .unavailable && error?.message.contains("disk") == true)
      try connection.execute("DROP TRIGGER failing ON \"\(schema)\".flows")
      #expect(try await store.load("flow") == nil)
      _ = try await store.commit(write())
      await store.close()
    }

    @Test("a commit that another transaction was in the way of is repeated with its id", arguments: ["40001", "40P01"])
    func transient(_ state: String) async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let store = try await database.open(schema)
      let connection = try RawConnection(database.url)
      // What a sequence gave is not taken back with the transaction.
      try connection.execute("CREATE SEQUENCE \"\(schema)\".tries")
      try connection.execute(
        Self.trigger(
          in: schema,
          """
          IF nextval('"\(schema)".tries') < 4 THEN RAISE EXCEPTION 'again' USING ERRCODE = '\(state)'; END IF;
          RETURN NEW;
          """))
      let flow = try await store.commit(write())
      #expect(flow.revision == Revision(1))
      #expect(try connection.texts("SELECT last_value FROM \"\(schema)\".tries") == ["4"])
      await store.close()
    }

    @Test("texts with any scalar, also U+0000, are read as they were written, and keep their order")
    func scalars() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let store = try await database.open(database.newSchema())
      let names = [
        "\u{0}", "\u{0}\u{0}", "\u{0}\u{1}", "\u{1}", "\u{1}\u{0}", "\u{1}\u{1}", "\u{2}", "a\u{0}b", "\u{10FFFF}",
      ]
      for name in names.reversed() {
        var snapshot = Self.snapshot
        (snapshot.definition, snapshot.labels, snapshot.steps) = (name, [name: name], [StepID("check/\(name)")])
        let entry = HistoryEntry(sequence: 1, at: database.clock.now, what: name, step: nil, by: name, detail: name)
        _ = try await store.commit(FlowWrite(snapshot, to: FlowID(name), expecting: .none, appending: [entry]))
        #expect(try await store.history(of: FlowID(name), after: 0, limit: 9).map(\.stored) == [entry.stored])
        #expect(try await store.load(FlowID(name))?.snapshot == snapshot)
        #expect(try await store.list(FlowQuery(label: .init(name, name)), after: nil, limit: 9).flows.count == 1)
      }
      var (found, cursor) = ([String](), String?.none)
      repeat {
        let page = try await store.list(FlowQuery(), after: cursor, limit: 2)
        found += page.flows.map(\.id.description)
        cursor = page.cursor
      } while cursor != nil
      #expect(found == names)
      await store.close()
    }

    @Test("the server's clock is the store's if none is given")
    func serverClock() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      var options = PostgreSQLFlowStore.Options()
      options.schema = database.newSchema()
      let store = try await PostgreSQLFlowStore(url: database.url, options: options)
      let connection = try RawConnection(database.url)
      let microseconds = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
      let before = try #require(Int64(connection.texts(microseconds)[0]))
      let flow = try await store.commit(write())
      let after = try #require(Int64(connection.texts(microseconds)[0]))
      #expect((before...after).contains(StoredTime(flow.changedAt).microseconds))
      await store.close()
    }

    @Test("people read flows and inboxes in the views")
    func views() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let store = try await database.open(schema)
      var snapshot = FlowSnapshot(definition: "check", version: 1, status: .waiting)
      snapshot.wakeAt = StoredTime(microseconds: 1_767_225_600_000_000).date
      snapshot.tasks = [
        OpenTask(
          question: "q", step: "check/step", prompt: "Page", assignees: ["ann", "bob"], askedAt: database.clock.now)
      ]
      _ = try await store.commit(FlowWrite(snapshot, to: "flow", expecting: .none))
      let connection = try RawConnection(database.url)
      #expect(
        try connection.texts(
          "SELECT id || ' ' || status || ' ' || (due AT TIME ZONE 'UTC') FROM \"\(schema)\".flow_overview")
          == ["flow waiting 2026-01-01 00:00:00"])
      #expect(
        try connection.texts("SELECT assignee FROM \"\(schema)\".flow_inbox ORDER BY assignee") == ["ann", "bob"])
      await store.close()
    }

    /// A trigger that fails before a row of a flow is inserted.
    private static func trigger(in schema: String, _ body: String) -> String {
      """
      CREATE FUNCTION "\(schema)".fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(body) END $$;
      CREATE TRIGGER failing BEFORE INSERT ON "\(schema)".flows FOR EACH ROW EXECUTE FUNCTION "\(schema)".fail();
      """
    }
  }
#endif
