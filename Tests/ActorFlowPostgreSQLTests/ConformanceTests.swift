#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowPostgreSQL
  import ActorFlowTesting
  import Testing

  @Suite("A store in PostgreSQL does what every store must", .needsServer, .timeLimit(.minutes(15)))
  struct ConformanceTests {
    @Test("A store in PostgreSQL conforms", arguments: FlowStoreConformance.all)
    func conforms(_ check: FlowStoreConformance.Check) async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let result = try await check.run(on: database.harness)
      // The harness does not see the server's syncs. `RestartTests` kill it.
      if case .skipped(let reason) = result {
        #expect(!check.needs.isDisjoint(with: [.crashing, .countingSyncs, .holdingSyncs]), "\(reason)")
      }
    }
  }
#endif
