#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowTesting
  import Testing

  @testable import ActorFlowPostgreSQL

  /// What a transaction cannot do, and locks that others wait for.
  @Suite("Refusals in transactions of PostgreSQL", .needsServer, .timeLimit(.minutes(15)))
  struct TransactionRefusalTests {
    private func withStore(
      connections: Int = 3, replyTime: Duration = .seconds(30),
      _ body: (_ store: PostgreSQLFlowStore, _ schema: String, TestDatabase) async throws -> Void
    ) async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let store = try await database.open(database.newSchema()) {
        ($0.connections, $0.replyTime) = (connections, replyTime)
      }
      let schema = "\"\(try database.schema(of: store))\""
      try RawConnection(database.url).execute(
        """
        CREATE TABLE \(schema).notes (id text, text text, UNIQUE (id) DEFERRABLE INITIALLY DEFERRED)
        """)
      try await body(store, schema, database)
      await store.close()
    }

    /// Returns the state of the server's error that `body` throws.
    private func state(_ body: () async throws -> Void) async -> String? {
      do { try await body() } catch { return (error as? ServerError)?.state ?? "\(error)" }
      return nil
    }

    @Test("a text with U+0000 is refused before it is cut, and the transaction goes on")
    func zero() async throws {
      try await withStore { store, schema, database in
        try await store.withTransaction { transaction in
          let insert = "INSERT INTO \(schema).notes VALUES ($1, $2)"
          #expect(await state { try await transaction.execute(insert, ["a", "b\0c"]) } == "22021")
          #expect(await state { try await transaction.execute("\(insert)\0; more", ["a", "b"]) } == "22021")
          let many = Array(repeating: String?.some("x"), count: 65_536)
          #expect(await state { try await transaction.execute("SELECT 1", many) } == "54023")
          #expect(await state { try await transaction.execute("-- nothing") } == nil)
          try await transaction.execute(insert, ["a", "bc"])
        }
        #expect(try RawConnection(database.url).texts("SELECT text FROM \(schema).notes") == ["bc"])
      }
    }

    @Test("a copy is refused, and ends the transaction with its connection", arguments: ["TO STDOUT", "FROM STDIN"])
    func copy(direction: String) async throws {
      try await withStore(connections: 1) { store, schema, database in
        let error = await #expect(throws: ServerError.self) {
          try await store.withTransaction { transaction in
            try await transaction.execute("INSERT INTO \(schema).notes VALUES ('a', 'b')")
            try await transaction.execute("COPY \(schema).notes \(direction)")
          }
        }
        #expect(error?.state == "0A000")
        let rows = try await store.withTransaction { try await $0.query("SELECT count(*) FROM \(schema).notes") }
        #expect(rows == [["0"]])
      }
    }

    @Test("a constraint that fails at COMMIT is named, and not taken for a server that is away")
    func deferred() async throws {
      try await withStore { store, schema, _ in
        let state = await state {
          try await store.withTransaction { transaction in
            for _ in 0..<2 { try await transaction.execute("INSERT INTO \(schema).notes VALUES ('a', 'b')") }
          }
        }
        #expect(state == "23505")
      }
    }

    @Test("a transaction inside another that has the last connection is refused after the time of a reply")
    func nested() async throws {
      try await withStore(connections: 1, replyTime: .seconds(1)) { store, _, _ in
        let error = await #expect(throws: FlowStoreError.self) {
          try await store.withTransaction { _ in try await store.withTransaction { _ in } }
        }
        #expect(error?.code == .unavailable && error?.message.contains("none inside another") == true)
        let rows = try await store.withTransaction { try await $0.query("SELECT 1") }
        #expect(rows == [["1"]])
      }
    }

    @Test("a flow that a transaction has locked is leased to others, and its connection stays")
    func locked() async throws {
      try await withStore(replyTime: .seconds(1)) { store, schema, database in
        let host = FlowHost(store: store, clock: database.clock, owner: "host")
        try await host.register(
          Flow<String, String>("order") {
            Step("wait") { (_: String, context: StepContext) in try await context.wait(for: Signal<String>("paid")) }
          }
        ).start(id: "o", with: "-")
        _ = try await host.flow("o").settled()
        try await host.shutDown()
        let epoch = try await store.attach(owner: "other", for: .seconds(60), as: CommitID(), after: nil)
        try await store.withTransaction { transaction in
          _ = try await transaction.query("SELECT id FROM \(schema).flows FOR UPDATE")
          let error = await #expect(throws: FlowStoreError.self) { try await store.acquire("o", under: epoch) }
          #expect(error?.code == .leased, "\(String(describing: error))")
        }
        #expect(try await store.acquire("o", under: epoch).flow != nil)
      }
    }

    @Test("a connection that is in use when the store is closed is closed with its transaction")
    func closing() async throws {
      try await withStore(connections: 1) { store, _, database in
        var process = ""
        try await store.withTransaction { transaction in
          process = try await transaction.query("SELECT pg_backend_pid()").first?.first.flatMap { $0 } ?? ""
          await store.close()
        }
        let left = "SELECT 1 FROM pg_stat_activity WHERE pid = \(process)"
        while try !RawConnection(database.url).texts(left).isEmpty { await Task.yield() }
      }
    }

    @Test("a due flow that cannot be read is given back without waking the hosts")
    func unreadable() async throws {
      try await withStore { store, schema, database in
        let host = FlowHost(store: store, clock: database.clock, owner: "host")
        try await host.register(
          Flow<String, String>("order") {
            Step("wait") { (_: String, context: StepContext) in
              try await context.wait(for: Signal<String>("paid"), within: .seconds(60)) ?? "late"
            }
          }
        ).start(id: "o", with: "-")
        _ = try await host.flow("o").settled()
        try await host.shutDown()
        // A later version has written the flow, so that its sum is right.
        try await database.harness.damage?(store, "o", .newerFormat)
        try RawConnection(database.url).execute("UPDATE \(schema).flows SET digest = sha256(snapshot)")
        database.clock.advance(by: .seconds(61))
        let epoch = try await store.attach(owner: "other", for: .seconds(60), as: CommitID(), after: nil)
        let changes = try #require(store.changes)
        let claimed = try await store.claimDue(under: epoch, serving: ["order": 1...1], limit: 10)
        #expect(claimed.isEmpty)
        await store.close()
        for await change in changes {
          if case .due = change { Issue.record("the flow was announced as due") }
        }
      }
    }
  }
#endif
