#if SQLite
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowSQLite
  import ActorFlowTesting
  import Testing

  @Suite("A store in SQLite does what every store must", .timeLimit(.minutes(15)))
  struct ConformanceTests {
    @Test("A store in SQLite conforms", arguments: FlowStoreConformance.all)
    func conforms(_ check: FlowStoreConformance.Check) async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let result = try await check.run(on: files.harness)
      // The one thing that the harness cannot do: a connection to a file does not break.
      if case .skipped(let reason) = result { #expect(check.needs.contains(.severing), "\(reason)") }
    }
  }
#endif
