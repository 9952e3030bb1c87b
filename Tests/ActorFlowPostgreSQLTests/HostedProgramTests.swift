#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowPostgreSQL
  import ActorFlowTesting
  import RandomPrograms
  import Testing

  @Suite(
    "Random programs on a host with a store in PostgreSQL", .needsServer, .timeLimit(.minutes(ProgramSettings.minutes)))
  struct HostedProgramTests {
    @Test("a host, which may crash at any commit, does what the naive model does", arguments: [false, true])
    func game(crashes: Bool) async throws {
      let failures = await play(ProgramSettings.seeds(share: 6)) { seed in
        try await withStore { open in try await playHostGame(seed: seed, crashes: crashes, on: open) }
      }
      #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }

    @Test("several attackers at once break no rule", arguments: [false, true])
    func scramble(crashes: Bool) async throws {
      let failures = await play(ProgramSettings.seeds(share: 6)) { seed in
        try await withStore { open in try await playHostedScramble(seed: seed, crashes: crashes, on: open) }
      }
      #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }

    /// Gives `body` a closure that opens a store, which is closed and removed afterwards.
    private func withStore(
      _ body: (_ open: @escaping (ManualWallClock) async throws -> any LeasingFlowStore) async throws -> Void
    ) async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      var opened: PostgreSQLFlowStore?
      let result: Result<Void, any Error>
      do {
        try await body { clock in
          let store = try await database.open(schema, clock: clock)
          opened = store
          return store
        }
        result = .success(())
      } catch { result = .failure(error) }
      await opened?.close()
      try result.get()
    }
  }
#endif
