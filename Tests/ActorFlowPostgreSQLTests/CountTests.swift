#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowPostgreSQL
  import Foundation
  import RandomPrograms
  import Testing

  /// What an answered question costs at the server. The server counts the syncs and the log for all its databases, so this
  /// runs alone.
  ///
  /// The design asks for less: 3 transactions and 2 syncs for a step that asks, and 1 sync for an `Ask`.
  @Suite(
    "Counts in PostgreSQL", .needsServer,
    .enabled(if: ProcessInfo.processInfo.environment["ACTORFLOW_ALONE"] != nil, "`.ci/run` sets ACTORFLOW_ALONE"),
    .serialized, .timeLimit(.minutes(15)))
  struct CountTests {
    private struct Page: Prompt, Codable {
      typealias Answer = String
      static let promptName = "Page"
      let text: String
    }

    private static let steps = Flow<String, String>("pages") {
      for number in 0..<4 {
        Step("page \(number)") { (text: String, context: StepContext) in try await context.ask(Page(text: text)) }
      }
    }

    private static let asks = Flow<String, String>("pages") {
      for number in 0..<4 { Ask("page \(number)") { (text: String) in Page(text: text) } }
    }

    @Test("a step that asks takes 4 transactions an answer, each of them synced, and less than 6 KB of the log")
    func steps() async throws {
      let cost = try await cost(of: Self.steps)
      #expect(cost.transactions <= 4.5 && cost.syncs <= 4.5 && cost.logBytes <= 6_144, "\(cost)")
    }

    @Test("an Ask takes 2 transactions an answer, both of them synced, and less than 4 KB of the log")
    func asks() async throws {
      let cost = try await cost(of: Self.asks)
      #expect(cost.transactions <= 2.5 && cost.syncs <= 2.5 && cost.logBytes <= 4_096, "\(cost)")
    }

    /// What one answered question costs: a transaction is a statement, and a round trip.
    private struct Cost {
      var transactions: Double
      var syncs: Double
      var logBytes: Double
    }

    /// Returns the cost of an answer that is neither the first nor the last of its flow.
    private func cost(of flow: Flow<String, String>) async throws -> Cost {
      let server = try #require(TestServer.url)
      let name = "counts_\(UUID().uuidString.lowercased())"
      try RawConnection(server).execute("CREATE DATABASE \"\(name)\"")
      defer { try? RawConnection(server).execute("DROP DATABASE \"\(name)\"") }
      let url = server.replacing("/postgres?", with: "/\(name)?", maxReplacements: 1)
      // After a checkpoint the server logs each page of a table whole when it is first changed: it is, in the first run.
      try RawConnection(server).execute("CHECKPOINT")
      try await withHost(of: flow, at: url) { host, flows in
        for number in 0..<200 {
          try await flows.start(id: Self.id(number), with: "text")
          _ = try await host.flow(Self.id(number)).settled(within: .seconds(60))
          try await host.flow(Self.id(number)).answer(Page.self, with: "first")
        }
      }
      var counts = [try await Self.counts(of: name, at: server)]
      // Opening a store and a host costs the same in both runs.
      for part in [0..<40, 40..<200] {
        try await withHost(of: flow, at: url) { host, _ in
          for number in part { try await host.flow(Self.id(number)).answer(Page.self, with: "second") }
        }
        counts.append(try await Self.counts(of: name, at: server))
      }
      let costs = counts[0].indices.map { kind in
        let (few, many) = (counts[1][kind] - counts[0][kind], counts[2][kind] - counts[1][kind])
        return Double(many - few) / 120
      }
      let cost = Cost(transactions: costs[0], syncs: costs[1], logBytes: costs[2])
      print("an answered question in PostgreSQL: \(cost)")
      return cost
    }

    private static func id(_ number: Int) -> FlowID { FlowID("flow-\(number)") }

    private func withHost(
      of flow: Flow<String, String>, at url: String,
      _ body: (FlowHost, RegisteredFlow<String, String>) async throws -> Void
    ) async throws {
      let store = try await PostgreSQLFlowStore(url: url)
      let host = FlowHost(store: store)
      try await body(host, try await host.register(flow))
      try await host.emptied()
      try await host.shutDown()
      await store.close()
    }

    /// The transactions of a database, and the syncs and bytes of the server's log.
    private static func counts(of database: String, at server: String) async throws -> [Int] {
      let connection = try RawConnection(server)
      // A session counts what it has done when it ends, which is after the store has closed its end.
      while try connection.texts("SELECT 1 FROM pg_stat_activity WHERE datname = '\(database)'").count > 0 {
        await Task.yield()
      }
      return try connection.texts(
        """
        SELECT xact_commit::bigint FROM pg_stat_database WHERE datname = '\(database)'
        UNION ALL SELECT wal_sync FROM pg_stat_wal
        UNION ALL SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint
        """
      ).compactMap { Int($0) }
    }
  }
#endif
