#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowPostgreSQL
  import ActorFlowTesting
  import Testing

  @Suite("A sharded store over databases in PostgreSQL", .needsServer, .timeLimit(.minutes(15)))
  struct ShardedTests {
    /// The checks of what a sharded store does itself. The others are those of one database, by its id.
    private static let checks = FlowStoreConformance.all.filter {
      !$0.needs.isDisjoint(with: [.leases, .changes]) || $0.name.contains("note") || $0.name.contains("page")
    }

    @Test("it does what every store must with leases, changes, notes and pages", arguments: checks)
    func conforms(_ check: FlowStoreConformance.Check) async throws {
      let databases = [try TestDatabase(), try TestDatabase()]
      defer { for database in databases { database.remove() } }
      let harness = FlowStoreHarness(sharding: databases.map(\.harness), of: PostgreSQLFlowStore.self)
      let result = try await check.run(on: harness)
      if case .skipped(let reason) = result {
        #expect(!check.needs.isDisjoint(with: [.crashing, .countingSyncs, .holdingSyncs]), "\(reason)")
      }
    }
  }
#endif
