#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowPostgreSQL
  import ActorFlowTesting
  import Testing

  @Suite("Several writes at once, and the cost of a write", .needsServer, .timeLimit(.minutes(15)))
  struct BatchTests {
    private static let snapshot = FlowSnapshot(definition: "check", version: 1, status: .runnable)

    private func writes(_ count: Int) -> [FlowWrite] {
      (0..<count).map { FlowWrite(Self.snapshot, to: FlowID("flow \($0)"), expecting: .none) }
    }

    @Test("several writes share a transaction, with their results in the order of the writes")
    func shared() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let store = try await database.open(schema)
      let writes = writes(40)
      let flows = try await store.commit(writes).map { try $0.get() }
      #expect(flows.map(\.id) == writes.map(\.id))
      let transactions = try RawConnection(database.url).texts(
        "SELECT count(DISTINCT xmin::text) FROM \"\(schema)\".flows")
      #expect(transactions == ["1"])
      await store.close()
    }

    @Test("an error of the database in one write of several fails that one alone")
    func failing() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let store = try await database.open(schema)
      try RawConnection(database.url).execute(
        """
        CREATE FUNCTION "\(schema)".fail() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER failing BEFORE INSERT ON "\(schema)".flows FOR EACH ROW WHEN (NEW.id = 'flow 3')
          EXECUTE FUNCTION "\(schema)".fail();
        """)
      let results = await store.commit(writes(8))
      for (number, result) in results.enumerated() {
        switch result {
        case .success: #expect(number != 3)
        case .failure(let error): #expect(number == 3 && error.code == .unavailable, "\(error)")
        }
      }
      await store.close()
    }

    @Test("several writes whose connection breaks are done once", arguments: [true, false])
    func broken(beforeTheWrite: Bool) async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let store = try await database.open(database.newSchema())
      let harness = database.harness
      try await harness.sever?(store, beforeTheWrite ? .beforeTheWrite : .afterTheWrite)
      for result in await store.commit(writes(8)) { #expect(try result.get().revision == Revision(1)) }
      let flows = try await store.list(FlowQuery(), after: nil, limit: 100).flows
      #expect(flows.map(\.revision) == Array(repeating: Revision(1), count: 8))
      await store.close()
    }

    @Test("batches of the same flows in opposite orders do not stop each other")
    func opposite() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let store = try await database.open(database.newSchema())
      _ = await store.commit(writes(20))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<4 {
          group.addTask {
            for _ in 0..<20 {
              let flows = try await store.list(FlowQuery(), after: nil, limit: 100).flows
              let writes = flows.map { FlowWrite(Self.snapshot, to: $0.id, expecting: $0.revision) }
              for result in await store.commit(writer.isMultiple(of: 2) ? writes : writes.reversed()) {
                if case .failure(let error) = result { #expect(error.code == .conflict, "\(error)") }
              }
            }
          }
        }
        try await group.waitForAll()
      }
      await store.close()
    }

    @Test("most commits from one question to the next write no index entry of the flow's row")
    func indexes() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let store = try await database.open(schema)
      var snapshot = FlowSnapshot(definition: "check", version: 1, status: .waiting)
      snapshot.body = Array(repeating: 7, count: 300)
      for number in 0..<100 {
        snapshot.tasks = [
          OpenTask(question: "\(number)", step: "check/step", prompt: "Page", askedAt: database.clock.now)
        ]
        _ = try await store.commit(FlowWrite(snapshot, to: "flow", expecting: Revision(number)))
      }
      await store.close()
      // A session counts its updates when it ends, which is after the store has closed its end.
      let connection = try RawConnection(database.url)
      let count = { (column: String) in
        try connection.texts(
          "SELECT \(column) FROM pg_stat_all_tables WHERE schemaname = '\(schema)' AND relname = 'flows'")[0]
      }
      while try count("n_tup_upd") != "99" { await Task.yield() }
      // A page that is full makes the next update another one's, with new entries.
      #expect(try #require(Int(count("n_tup_hot_upd"))) >= 80)
    }
  }
#endif
